package io.orderedexecutor.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * A test build of the core: loads its classes once more, with a call of {@link Counts} before each {@link Operation}.
 * The benchmarks are loaded by it too, so that they use that build; nothing is counted in them.
 */
final class CountingLoader extends ClassLoader {
    private static final String CORE = "io.orderedexecutor.";
    private static final String BENCHMARKS = CORE + "benchmarks.";
    private static final Set<String> OURS = Set.of(Counts.class.getName(), Operation.class.getName());

    /** What all threads of an executor write, whatever the keys of the tasks are: by class, the field or lock. */
    private static final Set<String> SHARED =
            Set.of("ReadyQueue.ADDED", "ReadyQueue.TAKEN_SLOTS", "Room", "Orders", "WorkerPool");

    /** Methods each call of which is an operation. */
    private static final Map<String, Operation> ENTRIES = Map.of(
            "io/orderedexecutor/engine/pool/ReadyQueue.add", Operation.HAND_OVER,
            "io/orderedexecutor/engine/pool/Platform.unpark", Operation.WAKE_UP,
            "io/orderedexecutor/engine/pool/Platform.start", Operation.WAKE_UP,
            "io/orderedexecutor/engine/order/Bin$Waiter.await", Operation.WAIT);

    /** Tells whether the caller has got a bin. */
    private static final String TRY = "io/orderedexecutor/engine/order/Bin.tryTake";

    /** Tells whether the caller has got a bin, or has left a request there. */
    private static final String TAKE_OR_POST = "io/orderedexecutor/engine/order/Bin.takeOrPost";

    /** What any loader has found of these, to see that the names are those of the core. */
    private static final Set<String> FOUND = ConcurrentHashMap.newKeySet();

    CountingLoader(ClassLoader parent) {
        super(parent);
    }

    /**
     * Fails if there is a method that would have been counted, and is not: its name has changed, perhaps. Called when
     * executors of all kinds have run.
     */
    static void requireAllFound() {
        Set<String> missing = new TreeSet<>(ENTRIES.keySet());
        missing.addAll(List.of(TRY, TAKE_OR_POST));
        missing.addAll(SHARED);
        missing.removeAll(FOUND);
        if (!missing.isEmpty()) {
            throw new IllegalStateException("the core has no longer " + missing
                    + ": put in CountingLoader how what has taken their place is called");
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            return name.startsWith(CORE) && !OURS.contains(name) ? define(name) : super.loadClass(name, resolve);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] code = read(name.replace('.', '/') + ".class");
        byte[] counting = name.startsWith(BENCHMARKS) ? code : counting(code);
        return defineClass(name, counting, 0, counting.length);
    }

    private byte[] read(String file) throws ClassNotFoundException {
        try (InputStream in = getParent().getResourceAsStream(file)) {
            if (in == null) {
                throw new ClassNotFoundException(file);
            }
            return in.readAllBytes();
        } catch (IOException failure) {
            throw new ClassNotFoundException(file, failure);
        }
    }

    private byte[] counting(byte[] code) {
        ClassReader reader = new ClassReader(code);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Methods(writer), 0);
        return writer.toByteArray();
    }

    private static final class Methods extends ClassVisitor {
        private String owner = "";

        Methods(ClassWriter writer) {
            super(Opcodes.ASM9, writer);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String signature,
                @Nullable String parent,
                String @Nullable [] interfaces) {
            owner = name;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String type, @Nullable String signature, String @Nullable [] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, type, signature, exceptions);
            return new Instructions(next, owner, access, name);
        }
    }

    private static final class Instructions extends MethodVisitor {
        private static final String HANDLE = "java/lang/invoke/VarHandle";
        private static final String ATOMICS = "java/util/concurrent/atomic/";
        private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";

        private final String owner;
        private final String simpleOwner;
        private final int access;
        private final String method;

        /** The handles that are on the stack, as far as this method has put them there. */
        private final Deque<String> handles = new ArrayDeque<>();

        Instructions(MethodVisitor next, String owner, int access, String method) {
            super(Opcodes.ASM9, next);
            this.owner = owner;
            this.simpleOwner = owner.replaceFirst(".*/", "").replaceFirst("\\$.*", "");
            this.access = access;
            this.method = method;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            String name = owner + "." + method;
            Operation entered = ENTRIES.get(name);
            if (entered != null) {
                FOUND.add(name);
                count(entered);
            }
            if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                countLock();
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String ofClass, String name, String type) {
            if (opcode == Opcodes.GETSTATIC && type.equals("L" + HANDLE + ";")) {
                handles.push(simpleOwner + "." + name);
            }
            super.visitFieldInsn(opcode, ofClass, name, type);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.MONITORENTER) {
                countLock();
            } else if (opcode == Opcodes.IRETURN && TRY.equals(owner + "." + method)) {
                FOUND.add(TRY);
                super.visitInsn(Opcodes.DUP);
                call("tried", "(Z)V");
            } else if (opcode == Opcodes.ARETURN && TAKE_OR_POST.equals(owner + "." + method)) {
                FOUND.add(TAKE_OR_POST);
                super.visitInsn(Opcodes.DUP);
                call("triedOrPosted", "(Ljava/lang/Enum;)V");
            }
            super.visitInsn(opcode);
        }

        @Override
        public void visitMethodInsn(int opcode, String ofClass, String name, String type, boolean isInterface) {
            if (ofClass.equals(HANDLE)) {
                String handle = handles.isEmpty() ? simpleOwner : handles.pop();
                countAccess(name, handle);
            } else if (ofClass.startsWith(ATOMICS)) {
                countAccess(name, simpleOwner);
            } else if (ofClass.equals(LOCK)
                    && name.toLowerCase(Locale.ROOT).contains("lock")
                    && !name.equals("unlock")) {
                countLock();
            }
            super.visitMethodInsn(opcode, ofClass, name, type, isInterface);
        }

        private void countAccess(String name, String place) {
            boolean isAtomic = name.startsWith("compareAnd")
                    || name.startsWith("weakCompareAnd")
                    || name.startsWith("getAnd")
                    || name.endsWith("AndGet")
                    || name.equals("increment")
                    || name.equals("add");
            if (isAtomic) {
                count(Operation.ATOMIC);
                if (isShared(place)) {
                    count(Operation.SHARED);
                }
            }
        }

        private void countLock() {
            count(Operation.ATOMIC);
            count(Operation.ATOMIC);
            if (isShared(simpleOwner)) {
                count(Operation.SHARED);
                count(Operation.SHARED);
            }
        }

        private boolean isShared(String place) {
            boolean isShared = SHARED.contains(place);
            if (isShared) {
                FOUND.add(place);
            }
            return isShared;
        }

        private void count(Operation operation) {
            super.visitIntInsn(Opcodes.BIPUSH, operation.number);
            call("count", "(I)V");
        }

        private void call(String name, String type) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, Type.getInternalName(Counts.class), name, type, false);
        }
    }
}
