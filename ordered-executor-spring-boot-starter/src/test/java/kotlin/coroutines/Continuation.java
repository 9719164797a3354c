package kotlin.coroutines;

/** Stands for Kotlin's own, which the compiled form of a suspend function has as its last parameter. */
public interface Continuation {}
