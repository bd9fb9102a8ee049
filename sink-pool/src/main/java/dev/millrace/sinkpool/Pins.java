package dev.millrace.sinkpool;

import dev.millrace.breaker.Preference;
import org.jspecify.annotations.Nullable;

/// Decides which batches wait for one replica: those that it may have stored, where no other would
/// recognise them (WRT-11).
///
/// A pin is of what goes out under one token. It ends when that is written; when it is refused and parts
/// of it go out, which nobody would recognise anyway; or after `ambiguous.pin_for`, if it is then sent
/// again. A batch that was is pinned no more.
///
/// Invariant W1: where the log is unshared, no attempt goes to another replica than that of the first
/// ambiguous attempt under its token, unless it is to be sent again, and then what may be stored twice is
/// counted.
///
/// Thread ownership: the shard machine that created it.
final class Pins {
    private final AmbiguousSettings settings;
    private final boolean siblings;
    private final LateCommands late;
    private TokenLog log = TokenLog.SHARED;

    Pins(ShardSettings settings, LateCommands late) {
        this.settings = settings.ambiguous();
        this.siblings = settings.replicas() > 1;
        this.late = late;
    }

    /// What the sink knows by now of its replicas. What was pinned and is no more takes a permit again.
    void log(TokenLog now, Deliveries deliveries) {
        var pinned = deliveries.begun().stream().filter(this::pinned).toList();
        log = now;
        pinned.forEach(deliveries::unpark);
    }

    /// An attempt of it got nothing done.
    void failed(Delivery delivery, int replica, Failure failure, long nowNanos) {
        if (!failure.mayHaveStored()) return;
        var news = delivery.doubtOfSent() == null;
        delivery.ambiguousAt(replica, nowNanos);
        if (news && pinned(delivery))
            late.tell(new ShardNote.Pinned(delivery.batch().id(), replica, failure));
    }

    private boolean pins() {
        return siblings && log == TokenLog.UNSHARED;
    }

    boolean pinned(Delivery delivery) {
        return pin(delivery) != null;
    }

    private @Nullable Doubt pin(Delivery delivery) {
        if (!pins()) return null;
        var doubt = delivery.doubtOfSent();
        return doubt == null || doubt.freed() ? null : doubt;
    }

    boolean mayGoTo(Delivery delivery, int replica) {
        var pin = pin(delivery);
        return pin == null || pin.first() == replica;
    }

    Preference preference(Delivery delivery, Preference otherwise) {
        var pin = pin(delivery);
        return pin == null ? otherwise : new Preference.Only(pin.first());
    }

    /// How many rows may be stored twice once `replica` has what is sent now.
    long perhapsTwice(Delivery delivery, int replica) {
        return delivery.perhapsTwice(replica, log);
    }

    /// Looks at those whose time is over.
    void tick(Deliveries deliveries, long nowNanos) {
        if (!pins()) return;
        for (var delivery : deliveries.begun()) {
            var pin = waiting(delivery);
            if (pin == null || !NanoClock.reached(endNanos(pin), nowNanos)) continue;
            var frees = settings.then() == AmbiguousSettings.Then.RESEND;
            pin.over(frees);
            deliveries.unpark(delivery);
            var waited = nowNanos - pin.sinceNanos();
            late.tell(new ShardNote.PinOver(delivery.batch().id(), pin.first(), waited, frees));
        }
    }

    /// When the next of these times is over.
    long wakeAtNanos(Deliveries deliveries) {
        var wake = NanoClock.NEVER;
        if (!pins()) return wake;
        for (var delivery : deliveries.begun()) {
            var pin = waiting(delivery);
            if (pin != null) wake = NanoClock.earlier(wake, endNanos(pin));
        }
        return wake;
    }

    // While it is being written, its answer is waited for.
    private @Nullable Doubt waiting(Delivery delivery) {
        var pin = delivery.stage() instanceof Delivery.Stage.Writing ? null : pin(delivery);
        return pin == null || pin.over() ? null : pin;
    }

    private long endNanos(Doubt pin) {
        return NanoClock.due(pin.sinceNanos(), settings.pinNanos());
    }

    /// As told to people; null for one that is not pinned.
    ShardView.@Nullable Pin view(Delivery delivery) {
        var pin = pin(delivery);
        return pin == null ? null : new ShardView.Pin(pin.first(), pin.sinceNanos(), pin.over());
    }
}
