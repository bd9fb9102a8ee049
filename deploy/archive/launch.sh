# shellcheck shell=bash
# How Millrace's java process is started and its AOT cache is made. Read by bin/millrace of the archive and by the repository's launcher.

# The heap begins small: a pipeline that has little to do takes little. What it took and needs no more goes back: half a minute without a collection
# brings a concurrent one, and the C library is asked for its free memory every ten seconds. No Java objects are read from anywhere, and a JVM that crashes leaves no
# image of its memory, in which secrets stand. The cache fits only the object headers that it was made with.
jvm=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Xms16m -XX:+UseCompactObjectHeaders -XX:G1PeriodicGCInterval=30000
  -XX:TrimNativeHeapInterval=10000 -Xlog:trimnative=off "-Djdk.serialFilter=!*" -XX:-CreateCoredumpOnCrash)

# is_25 HOME TOOL: whether a Java 25 with that tool is there.
is_25() {
  [ -x "$1/bin/java" ] && [ -x "$1/bin/$2" ] && "$1/bin/java" -version 2>&1 | head -n 1 | grep -q '"25[."-]'
}

# find_java TOOL: prints the home of the first Java 25 that has it. TOOL is java, or javac where something is to be built.
find_java() {
  local candidate on_path
  if [ -n "${JAVA_HOME:-}" ] && is_25 "$JAVA_HOME" "$1"; then echo "$JAVA_HOME"; return; fi
  if on_path=$(command -v "$1"); then
    candidate=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    if is_25 "$candidate" "$1"; then echo "$candidate"; return; fi
  fi
  for candidate in /usr/lib/jvm/* /opt/java/* /opt/jdk* "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    if is_25 "$candidate" "$1"; then echo "$candidate"; return; fi
  done
  return 1
}

# class_path FOLDER FIRST: FIRST and the folder's jars in an order that is the same on every machine, without which an AOT cache does not fit.
class_path() {
  local jar path=$2 LC_ALL=C
  for jar in "$1"/*.jar; do if [ "$jar" != "$2" ]; then path=$path:$jar; fi; done
  echo "$path"
}

# train JAVA_HOME CLASS_PATH CACHE LOG: makes the JVM's AOT cache, by a small run against a broker of its own. The old cache stays until then.
train() {
  local status=0
  CLASSPATH=$2 "$1/bin/java" "${jvm[@]}" -XX:AOTCacheOutput="$3.$$" dev.millrace.cli.TrainingRun >"$4" 2>&1 || status=$?
  rm -f "$3.$$.config"
  if [ "$status" != 0 ] || [ ! -s "$3.$$" ]; then
    rm -f "$3.$$"
    return 1
  fi
  mv -f "$3.$$" "$3"
}

# start JAVA_HOME CLASS_PATH CACHE MAIN ARGUMENT...: becomes the java process, so that signals reach it. A cache that is not there, or does
# not fit the JVM or its options, is passed over.
start() {
  local java=$1/bin/java main=$4
  export CLASSPATH=$2
  if [ -s "$3" ]; then jvm+=(-XX:AOTCache="$3" -Xlog:aot=off -Xlog:cds=off); fi
  shift 4
  # shellcheck disable=SC2086 # the options are words
  exec "$java" "${jvm[@]}" ${MILLRACE_JAVA_OPTS:-} "$main" "$@"
}
