package dev.millrace.cli;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;

/// Delivers SIGTERM and SIGINT, the second one too, which a shutdown hook never sees.
///
/// Reaches `sun.misc.Signal` by reflection: named in the source it is a compiler warning that nothing can silence.
final class Signals {
    private Signals() {}

    /// Calls `handler` with the signal's number on a thread of the JVM's own, for each signal that arrives.
    @SuppressWarnings("ReferenceEquality") // a proxy is equal to itself alone
    static void handle(IntConsumer handler, String... names) {
        try {
            var signal = Class.forName("sun.misc.Signal");
            var handlerType = Class.forName("sun.misc.SignalHandler");
            var number = signal.getMethod("getNumber");
            var proxy = Proxy.newProxyInstance(
                    MethodHandles.lookup().lookupClass().getClassLoader(),
                    new Class<?>[] {handlerType},
                    (self, method, arguments) -> switch (method.getName()) {
                        case "handle" -> {
                            handler.accept((int) number.invoke(arguments[0]));
                            yield null;
                        }
                        case "hashCode" -> System.identityHashCode(self);
                        case "equals" -> self == arguments[0];
                        default -> "signal handler";
                    });
            var register = signal.getMethod("handle", signal, handlerType);
            for (var name : names)
                register.invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (ReflectiveOperationException missing) {
            throw noSignals(missing);
        }
    }

    /// Sends one to this process.
    static void raise(String name) {
        try {
            var signal = Class.forName("sun.misc.Signal");
            signal.getMethod("raise", signal)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name));
        } catch (ReflectiveOperationException missing) {
            throw noSignals(missing);
        }
    }

    private static IllegalStateException noSignals(ReflectiveOperationException missing) {
        return new IllegalStateException("this JVM delivers no signals: run it on a JDK 25 build of OpenJDK", missing);
    }
}
