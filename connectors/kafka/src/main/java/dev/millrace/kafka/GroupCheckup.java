package dev.millrace.kafka;

import dev.millrace.kafka.AdminCalls.Failed;
import dev.millrace.kafka.KafkaSourceSettings.GroupProtocol;
import dev.millrace.sinkpool.Finding;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RetriableException;

/// Looks at the group that a source would join: what it is, who is in it, and whether the user may.
///
/// Thread ownership: the thread that looks.
final class GroupCheckup {
    private static final String ASSIGNOR = "cooperative-sticky";

    private final KafkaSourceSettings settings;
    private final String where;
    private final List<Finding> findings;

    GroupCheckup(KafkaSourceSettings settings, String where, List<Finding> findings) {
        this.settings = settings;
        this.where = where;
        this.findings = findings;
    }

    /// Returns whether anybody is in it now.
    boolean look(Cluster cluster) throws Failed {
        ConsumerGroupDescription group;
        try {
            group = cluster.group(settings.groupId());
        } catch (Failed failed) {
            var why = failed.why();
            if (why instanceof AuthorizationException)
                findings.add(Finding.fault(
                        where,
                        "the user may not use group " + settings.groupId(),
                        "allow READ and DESCRIBE on group " + settings.groupId()));
            else if (why instanceof RetriableException) throw failed;
            else
                findings.add(Finding.fault(
                        where,
                        "group " + settings.groupId() + " is none of consumers: " + why.getMessage(),
                        "give this pipeline a group of its own"));
            return false;
        }
        if (group == null) return false;
        var allowed = group.authorizedOperations();
        if (allowed != null && !allowed.isEmpty() && !allowed.contains(AclOperation.READ))
            findings.add(Finding.fault(
                    where,
                    "the user may not commit as group " + settings.groupId(),
                    "allow READ on group " + settings.groupId()));
        if (group.members().isEmpty()) return false;
        members(group);
        return true;
    }

    private void members(ConsumerGroupDescription group) {
        var members = group.members();
        var strangers = members.stream()
                .map(MemberDescription::clientId)
                .filter(id -> !id.startsWith(settings.groupId() + "-"))
                .distinct()
                .sorted()
                .limit(5)
                .toList();
        if (strangers.isEmpty())
            findings.add(Finding.note(
                    where,
                    members.size() + " members of Millrace are in group " + settings.groupId() + " now: this pipeline"
                            + " runs, or another of the same group",
                    ""));
        else
            findings.add(Finding.hazard(
                    where,
                    "others are in group " + settings.groupId() + " now, by the client ids "
                            + String.join(", ", strangers) + ": they take records away from this pipeline",
                    "give this pipeline a group of its own"));
        if (settings.groupProtocol() == GroupProtocol.CLASSIC
                && group.type() == GroupType.CLASSIC
                && !group.partitionAssignor().isEmpty()
                && !group.partitionAssignor().contains(ASSIGNOR))
            findings.add(Finding.fault(
                    where,
                    "the members of group " + settings.groupId() + " assign by " + group.partitionAssignor()
                            + ", and none may join who assigns by " + ASSIGNOR,
                    "stop them first, or give this pipeline a group of its own"));
        instance(members);
    }

    private void instance(Collection<MemberDescription> members) {
        var own = settings.properties().get("group.instance.id");
        if (own == null) return;
        for (var member : members) {
            var id = member.groupInstanceId().orElse("");
            if (id.equals(own) || (settings.consumers() > 1 && id.matches(Pattern.quote(own) + "-\\d+")))
                findings.add(Finding.hazard(
                        where,
                        "group.instance.id " + id + " is taken now by a member at " + member.host()
                                + ": of two, one is fenced or refused, and ends",
                        "give each instance an id of its own; where it is this pipeline that runs, all is well"));
        }
    }
}
