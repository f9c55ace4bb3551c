/* Faults for a server under test, by LD_PRELOAD: cc -shared -fPIC -o faults.so faults.c -ldl
 *
 *   FAULT_CLOCK=FILE                     the seconds in FILE are added to the wall clock
 *   FAULT_MATCH=TEXT FAULT_EIO=FILE      while FILE exists, writes and syncs of files whose path has TEXT fail with EIO
 *   FAULT_MATCH=TEXT FAULT_STALL=FILE    while FILE exists, their syncs hang
 *   FAULT_MATCH=TEXT FAULT_TRACE=FILE    FILE gets a line for each call that concerns what such a path has after a loss of power:
 *                                        "write PATH", "synced PATH" (a write that is its own sync), "sync PATH", "mkdir PATH" and
 *                                        "rename FROM", "to TO"
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Reads FILE again after 50 ms. */
static long ahead(void) {
  static volatile long seconds, last = -1;
  const char *file = getenv("FAULT_CLOCK");
  struct timespec monotonic;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &monotonic);
  long look = monotonic.tv_sec * 20 + monotonic.tv_nsec / 50000000;
  if (file && look != last) {
    last = look;
    FILE *opened = fopen(file, "r");
    long read;
    if (opened) {
      if (fscanf(opened, "%ld", &read) == 1) seconds = read;
      fclose(opened);
    }
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *time, void *zone) {
  (void) zone;
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec + ahead();
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

#define PATH_BYTES 512

/* The path of an open file, in a buffer of PATH_BYTES; 0 where there is none. */
static int path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_BYTES - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return 1;
}

static int is_on(const char *fault, int descriptor) {
  const char *file = getenv(fault), *match = getenv("FAULT_MATCH");
  char path[PATH_BYTES];
  if (!file || !match || access(file, F_OK) != 0) return 0;
  return path_of(descriptor, path) && strstr(path, match) != 0;
}

static void trace(const char *what, const char *path) {
  const char *file = getenv("FAULT_TRACE"), *match = getenv("FAULT_MATCH");
  char here[PATH_BYTES] = "", line[2 * PATH_BYTES + 16];
  if (!file || !match) return;
  if (path[0] != '/' && !getcwd(here, sizeof here)) abort();
  int length = snprintf(line, sizeof line, "%s %s%s%s\n", what, here, here[0] ? "/" : "", path);
  if (!strstr(line, match)) return;
  int out = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT, 0600);
  /* By the system itself, since write() of the C library is replaced below. */
  if (out < 0 || syscall(SYS_write, out, line, length) != length) abort();
  close(out);
}

static void trace_open(const char *what, int descriptor) {
  char path[PATH_BYTES];
  int before = errno;
  if (getenv("FAULT_TRACE") && path_of(descriptor, path) && path[0] == '/') trace(what, path);
  errno = before;
}

/* A write that is its own sync is no other write. */
static void trace_write(int descriptor) {
  if (getenv("FAULT_TRACE")) trace_open(fcntl(descriptor, F_GETFL) & O_DSYNC ? "synced" : "write", descriptor);
}

#define SYSTEM(type, name, ...) \
  static type (*system_call)(__VA_ARGS__); \
  if (!system_call) system_call = (type (*)(__VA_ARGS__)) dlsym(RTLD_NEXT, name)

#define MAY_FAIL(descriptor) \
  if (is_on("FAULT_EIO", descriptor)) { \
    errno = EIO; \
    return -1; \
  }

#define MAY_STALL(descriptor) while (is_on("FAULT_STALL", descriptor)) usleep(50000)

int fsync(int descriptor) {
  SYSTEM(int, "fsync", int);
  MAY_STALL(descriptor);
  MAY_FAIL(descriptor)
  int result = system_call(descriptor);
  if (result == 0) trace_open("sync", descriptor);
  return result;
}

int fdatasync(int descriptor) {
  SYSTEM(int, "fdatasync", int);
  MAY_STALL(descriptor);
  MAY_FAIL(descriptor)
  int result = system_call(descriptor);
  if (result == 0) trace_open("sync", descriptor);
  return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  SYSTEM(ssize_t, "write", int, const void *, size_t);
  MAY_FAIL(descriptor)
  trace_write(descriptor);
  return system_call(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  SYSTEM(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  MAY_FAIL(descriptor)
  trace_write(descriptor);
  return system_call(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  SYSTEM(ssize_t, "writev", int, const struct iovec *, int);
  MAY_FAIL(descriptor)
  trace_write(descriptor);
  return system_call(descriptor, parts, count);
}

int rename(const char *from, const char *to) {
  SYSTEM(int, "rename", const char *, const char *);
  int result = system_call(from, to);
  if (result == 0) {
    trace("rename", from);
    trace("to", to);
  }
  return result;
}

int mkdir(const char *path, mode_t mode) {
  SYSTEM(int, "mkdir", const char *, mode_t);
  int result = system_call(path, mode);
  if (result == 0) trace("mkdir", path);
  return result;
}
