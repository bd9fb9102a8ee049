package dev.millrace.pipeline;

import dev.millrace.sinkpool.ShardId;
import dev.millrace.sinkpool.ShardNote;
import java.net.URI;
import java.time.Instant;
import java.util.List;

/// Tells what a shard noted to the ring of events, in a few words, under the name that the log has for it.
///
/// Thread ownership: shard workers.
record ShardNews(EventRing events) {
    void tell(ShardId shard, List<URI> endpoints, ShardNote note, Instant at) {
        switch (note) {
            case ShardNote.OutageBegan(var first) ->
                tell("outage_began", shard, "no replica takes writes: " + first, at);
            case ShardNote.OutageEnded _ -> tell("outage_ended", shard, "a write succeeded again", at);
            case ShardNote.OverloadBegan(var first) -> tell("overload_began", shard, first.toString(), at);
            case ShardNote.OverloadEnded _ -> tell("overload_ended", shard, "batches go out as set again", at);
            case ShardNote.ReplicaOpened(var replica, var last, var _) ->
                tell("replica_opened", shard, endpoints.get(replica), last.toString(), at);
            case ShardNote.ReplicaHalfOpened(var replica) ->
                tell("replica_half_open", shard, endpoints.get(replica), "may be tried", at);
            case ShardNote.ReplicaClosed(var replica) ->
                tell("replica_closed", shard, endpoints.get(replica), "takes writes again", at);
            case ShardNote.Blocked(var batch, var failure) ->
                tell("batch_blocked", shard, "batch " + batch + ": " + failure, at);
            case ShardNote.TakenApart(var batch, var failure) ->
                tell("batch_taken_apart", shard, "batch " + batch + ": " + failure, at);
            case ShardNote.Poison(var row, var failure, var skipped) ->
                tell(skipped ? "row_skipped" : "row_poison", shard, row + ": " + failure.code(), at);
            case ShardNote.Drift(var batch, var suspects, var failure) ->
                tell("poison_rate", shard, suspects + " rows of batch " + batch + " are refused: " + failure, at);
            case ShardNote.GaveUp(var batch, var attempts, var failure) ->
                tell("batch_given_up", shard, "batch " + batch + " after " + attempts + " attempts: " + failure, at);
            case ShardNote.Pinned(var batch, var replica, var failure) ->
                tell("batch_pinned", shard, endpoints.get(replica), "batch " + batch + ": " + failure, at);
            case ShardNote.PinOver(var batch, var replica, var _, var resent) ->
                tell(resent ? "batch_resent" : "batch_pin_over", shard, endpoints.get(replica), "batch " + batch, at);
            case ShardNote.TokenAges(var batch, var _, var _) ->
                tell("token_ages", shard, "batch " + batch + " has waited for half of its token's time", at);
            case ShardNote.TokenExpired(var batch, var _, var _, var reads) ->
                tell(
                        "token_expired",
                        shard,
                        "batch " + batch + (reads ? " is looked for first" : " is sent again"),
                        at);
            case ShardNote.Abandoned(var rows, var inDoubt) ->
                tell("abandoned", shard, rows + inDoubt + " rows are not committed and replay", at);
            case ShardNote.Sealed _, ShardNote.Wrote _ -> {}
        }
    }

    private void tell(String event, ShardId shard, URI endpoint, String text, Instant at) {
        events.tell(event, shard + " " + EndpointName.of(endpoint), text, at);
    }

    private void tell(String event, ShardId shard, String text, Instant at) {
        events.tell(event, shard.toString(), text, at);
    }
}
