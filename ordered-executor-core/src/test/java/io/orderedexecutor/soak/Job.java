package io.orderedexecutor.soak;

import io.orderedexecutor.fixtures.ThrownOnPurpose;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A task that checks where it runs, and remembers what it has done and what was told of it. */
final class Job implements Runnable, Callable<Object>, Supplier<CompletionStage<Object>> {

    /** What some tasks throw. */
    static final class ErrorOnPurpose extends Error {
        private static final long serialVersionUID = 1;

        ErrorOnPurpose() {
            super("thrown by the test", null, false, false);
        }
    }

    private enum Deed {
        RETURN,
        THROW,
        THROW_ERROR,
        STAY_INTERRUPTED,
        FAIL_IN_OUTPUT
    }

    private final Audit audit;
    private final List<Lane.Place> places;

    // drawn when it is made: a random generator is not for several threads
    private final Deed deed;
    private final boolean endsElsewhere;

    /** Whether it began with an interrupt: its own, if it is cancelled, or that of another task. */
    private volatile boolean isInterrupted;

    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicInteger writes = new AtomicInteger();

    /** What was told of its end; null before. */
    private volatile Audit.End end;

    /** Makes a task; called by its submitter, in the order of its submissions. */
    Job(Audit audit, List<Lane.Place> places, SplittableRandom random) {
        this.audit = audit;
        this.places = places;
        this.deed = random.nextInt(1000) >= audit.faults()
                ? Deed.RETURN
                : switch (random.nextInt(5)) {
                    case 0 -> Deed.THROW_ERROR;
                    case 1 -> Deed.STAY_INTERRUPTED;
                    case 2 -> Deed.FAIL_IN_OUTPUT;
                    default -> Deed.THROW;
                };
        this.endsElsewhere = random.nextBoolean();
    }

    // what it does

    @Override
    public void run() {
        enter();
        try {
            act();
        } finally {
            leave();
        }
    }

    @Override
    public Object call() {
        run();
        return this;
    }

    /** Its stage is complete at once, or is completed by another thread, which holds its keys until then. */
    @Override
    public CompletionStage<Object> get() {
        if (!endsElsewhere) {
            return CompletableFuture.completedFuture(call());
        }
        enter();
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        act();
                        return this;
                    } finally {
                        leave();
                    }
                },
                audit.completers());
    }

    /** Does all of them as one batch, which fails if one of them does. */
    static void runTogether(List<Job> items) {
        boolean fails = false;
        for (Job item : items) {
            item.enter();
            item.leave();
            fails |= item.deed == Deed.THROW;
        }
        if (fails) {
            throw new ThrownOnPurpose();
        }
    }

    /** Is written, as a piece of an ordered output: it is in turn then, and not when its work is done. */
    void write() {
        enterPlaces(false);
        leavePlaces();
        if (deed == Deed.FAIL_IN_OUTPUT) {
            throw new ThrownOnPurpose();
        }
        if (writes.incrementAndGet() > 1) {
            audit.violate("written twice: " + this);
        }
    }

    private void enter() {
        audit.ran();
        int run = runs.incrementAndGet();
        if (run > audit.attempts()) {
            audit.violate("ran too often: " + this);
        }
        Audit.End told = end;
        if (told != null && told != Audit.End.CANCELLED) {
            audit.violate("ran after it had " + told + ": " + this);
        }
        if (Thread.interrupted()) {
            isInterrupted = true;
        }
        if (!audit.writesResults()) {
            enterPlaces(run > 1);
        }
    }

    private void leave() {
        if (!audit.writesResults()) {
            leavePlaces();
        }
    }

    private void enterPlaces(boolean isAgain) {
        for (Lane.Place place : places) {
            String wrong = place.enter(isAgain);
            if (wrong != null) {
                audit.violate(wrong);
            }
        }
    }

    private void leavePlaces() {
        places.forEach(Lane.Place::leave);
    }

    private void act() {
        switch (deed) {
            case RETURN, FAIL_IN_OUTPUT -> {}
            case THROW -> throw new ThrownOnPurpose();
            case THROW_ERROR -> throw new ErrorOnPurpose();
            case STAY_INTERRUPTED -> Thread.currentThread().interrupt();
        }
    }

    // what was told of it

    /** Called when the executor has told of its end. */
    void end(Audit.End how) {
        end = how;
        if (ends.incrementAndGet() > 1) {
            audit.violate("has ended twice, now " + how + ": " + this);
        }
        if (isInterrupted && how != Audit.End.CANCELLED && audit.tellsInterruptsApart()) {
            audit.violate("began with the interrupt of another task: " + this);
        }
        boolean isRight = switch (how) {
            case FINISHED -> runs.get() > 0 && writes.get() == (audit.writesResults() ? 1 : 0);
            case FAILED -> runs.get() > 0;
            case DROPPED -> runs.get() == 0 || audit.attempts() > 1;
            case CANCELLED -> true;
        };
        if (!isRight) {
            audit.violate("has " + how + ": " + this);
        }
    }

    @Override
    public String toString() {
        return "a task that was to " + deed + ", ran " + runs + " times, was written " + writes + " times, at "
                + places;
    }
}
