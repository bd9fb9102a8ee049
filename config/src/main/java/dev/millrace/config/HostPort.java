package dev.millrace.config;

import java.net.InetAddress;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where a server listens. An IPv6 address is held without its brackets and printed with them. Port 0 is any free port.
public record HostPort(String host, int port) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9_.-]{1,32})?");

    public HostPort {
        Require.matches("host", NAME.matcher(host).matches() || isIpv6(host), host);
        Require.between("port", port, 0, 65_535);
    }

    /// Reads `host:port` or `[ipv6]:port`; null for anything else.
    static @Nullable HostPort parse(String text) {
        var colon = text.lastIndexOf(':');
        if (colon < 1) return null;
        var host = text.substring(0, colon);
        var digits = text.substring(colon + 1);
        if (digits.isEmpty() || digits.length() > 5 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) return null;
        var port = Integer.parseInt(digits);
        if (port > 65_535) return null;
        if (host.startsWith("[") && host.endsWith("]")) {
            var address = host.substring(1, host.length() - 1);
            return isIpv6(address) ? new HostPort(address, port) : null;
        }
        return NAME.matcher(host).matches() ? new HostPort(host, port) : null;
    }

    /// Whether it is loopback by its name or its digits. No name is looked up.
    boolean onThisMachine() {
        if (host.equalsIgnoreCase("localhost")) return true;
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    private static boolean isIpv6(String text) {
        return text.indexOf(':') >= 0 && IPV6.matcher(text).matches();
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
