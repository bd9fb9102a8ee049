package dev.millrace.config;

/// What of one `http` section cannot work together.
record HttpChecks(Problems problems, Values http) {

    void run() {
        login();
        headers();
        var by = http.find(HttpKeys.REMEMBERED_BY);
        if (by != null && by.given() && http.find(HttpKeys.REMEMBERS) == null && !http.refused(HttpKeys.REMEMBERS))
            problems.error(by.place(), by.path(), "says who remembers, and nothing is; add remembers, or leave it out");
    }

    private void login() {
        var user = http.find(HttpKeys.USER);
        var password = http.find(HttpKeys.PASSWORD);
        var bearer = http.find(HttpKeys.BEARER_TOKEN);
        if (password != null && user == null && !http.refused(HttpKeys.USER))
            problems.error(password.place(), password.path(), "is of a user, and there is none; add user");
        if (bearer != null && user != null)
            problems.error(bearer.place(), bearer.path(), "is shown in the place of user; keep the one or the other");
    }

    private void headers() {
        var headers = http.find(HttpKeys.HEADERS);
        if (headers == null) return;
        var token = http.orNull(HttpKeys.TOKEN_HEADER);
        if (token != null && headers.value().containsKey(token))
            problems.error(
                    headers.place(),
                    headers.path() + "." + token,
                    "carries the batch's token; leave it out, or name another token_header");
        var login = http.find(HttpKeys.USER) != null || http.find(HttpKeys.BEARER_TOKEN) != null;
        if (login && headers.value().containsKey("Authorization"))
            problems.error(
                    headers.place(),
                    headers.path() + ".Authorization",
                    "is made of user or bearer_token; keep the one or the other");
    }
}
