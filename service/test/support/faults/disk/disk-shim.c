/*
 * Stands between a program and its disk (LD_PRELOAD). Only what happens to files of one folder is
 * touched. It does two things, each of which is set by the environment:
 *
 *   DISK_FOLDER      the folder, an absolute path without links in it
 *   DISK_LOG         a file to which every change and every flush is appended, in their order
 *   DISK_SYNC_US     a flush does nothing but wait this many microseconds
 *   DISK_FAIL_AT     the number of the first call that fails, counted from 1
 *   DISK_FAIL_FOR    how many calls fail from there on (default 1)
 *   DISK_FAIL_CALL   "write" (also truncating) or "sync": which calls are counted
 *   DISK_FAIL_HOW    "eio", "enospc", or "short": half of the bytes, then ENOSPC
 *   DISK_FAIL_FILES  only calls on files whose path begins so are counted
 *
 * The first failing call is told on stderr.
 *
 * The log is a sequence of records, read by disk-log.ts: six 64-bit numbers (kind, process,
 * descriptor, offset, bytes of the text, bytes of the data), the text (a path, or two with a NUL
 * between them), and the data. The index of SQLite's write-ahead log (-shm) is left out: SQLite
 * makes it anew after a crash.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, CLOSE, WRITE, TRUNCATE, SYNC, UNLINK, RENAME, LINK, UNKNOWN };

#define MOST_FILES 65536

/* What an OPEN record has in place of an offset. */
enum { OPENED_FILE, MADE_FILE, OPENED_FOLDER };

/* The file behind each descriptor that was opened in the folder; 0: none. */
static ino_t tracked[MOST_FILES];
static char may_fail[MOST_FILES];
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *fail_files;
static size_t folder_length;
static int log_file = -1;
static long sync_us = -1, fail_at, fail_for = 1, calls_seen;
static int fail_is_sync, fail_error, fail_is_short, has_failed;

static long number_of(const char *name, long standard) {
  const char *text = getenv(name);
  return text == NULL ? standard : atol(text);
}

static int is_set_to(const char *name, const char *value) {
  const char *text = getenv(name);
  return text != NULL && strcmp(text, value) == 0;
}

__attribute__((constructor)) static void begin(void) {
  folder = getenv("DISK_FOLDER");
  if (folder == NULL) return;
  folder_length = strlen(folder);
  fail_files = getenv("DISK_FAIL_FILES");
  sync_us = number_of("DISK_SYNC_US", -1);
  fail_at = number_of("DISK_FAIL_AT", 0);
  fail_for = number_of("DISK_FAIL_FOR", 1);
  fail_is_sync = is_set_to("DISK_FAIL_CALL", "sync");
  fail_is_short = is_set_to("DISK_FAIL_HOW", "short");
  fail_error = is_set_to("DISK_FAIL_HOW", "eio") ? EIO : ENOSPC;
  const char *log = getenv("DISK_LOG");
  if (log == NULL) return;
  log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) {
    perror("the log of the disk can't be opened");
    _exit(70);
  }
}

static void record(int kind, int file, int64_t offset, const char *text, size_t text_bytes,
                   const void *data, size_t bytes) {
  if (log_file < 0) return;
  int saved = errno;
  int64_t head[6] = {kind, getpid(), file, offset, (int64_t)text_bytes, (int64_t)bytes};
  struct iovec parts[3] = {
      {head, sizeof head}, {(void *)text, text_bytes}, {(void *)data, bytes}};
  size_t whole = sizeof head + text_bytes + bytes;
  if (syscall(SYS_writev, log_file, parts, 3) != (long)whole) {
    perror("the log of the disk can't be written");
    _exit(70);
  }
  errno = saved;
}

static int is_inside(const char *path) {
  if (folder == NULL || path == NULL || strncmp(path, folder, folder_length) != 0) return 0;
  if (path[folder_length] == '\0') return 1;
  size_t length = strlen(path);
  int is_index = length > 4 && strcmp(path + length - 4, "-shm") == 0;
  return path[folder_length] == '/' && !is_index;
}

/* libuv closes files by a system call of its own, so a descriptor may mean another file by now. */
static int is_tracked(int file) {
  if (file < 0 || file >= MOST_FILES || tracked[file] == 0) return 0;
  struct stat what;
  int saved = errno;
  if (fstat(file, &what) != 0 || what.st_ino != tracked[file]) tracked[file] = 0;
  errno = saved;
  return tracked[file] != 0;
}

/* Whether this call is one of those that fail. Called with the turn. */
static int fails(int file, int is_sync) {
  if (fail_at == 0 || is_sync != fail_is_sync || !may_fail[file]) return 0;
  calls_seen += 1;
  if (calls_seen < fail_at || calls_seen >= fail_at + fail_for) return 0;
  has_failed += 1;
  if (has_failed == 1) dprintf(STDERR_FILENO, "disk-shim: call %ld fails\n", calls_seen);
  return 1;
}

#define REAL(name, ...)                                         \
  static __typeof__(&name) real;                                \
  if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name);

static int note_open(int file, const char *path, int existed, int flags) {
  if (file < 0 || file >= MOST_FILES || !is_inside(path)) return file;
  struct stat what;
  if (fstat(file, &what) != 0) return file;
  tracked[file] = what.st_ino;
  may_fail[file] = fail_files == NULL || strncmp(path, fail_files, strlen(fail_files)) == 0;
  int state = S_ISDIR(what.st_mode) ? OPENED_FOLDER : existed ? OPENED_FILE : MADE_FILE;
  record(OPEN, file, state, path, strlen(path), NULL, 0);
  if (existed && (flags & O_TRUNC) != 0) record(TRUNCATE, file, 0, "", 0, NULL, 0);
  return file;
}

#define OPENING(name)                                           \
  int name(const char *path, int flags, ...) {                  \
    REAL(name)                                                  \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    mode_t mode = va_arg(rest, mode_t);                         \
    va_end(rest);                                               \
    if (!is_inside(path)) return real(path, flags, mode);       \
    pthread_mutex_lock(&turn);                                  \
    int existed = access(path, F_OK) == 0;                      \
    int file = note_open(real(path, flags, mode), path, existed, flags); \
    pthread_mutex_unlock(&turn);                                \
    return file;                                                \
  }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                        \
  int name(int at, const char *path, int flags, ...) {          \
    REAL(name)                                                  \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    mode_t mode = va_arg(rest, mode_t);                         \
    va_end(rest);                                               \
    if (!is_inside(path)) return real(at, path, flags, mode);   \
    pthread_mutex_lock(&turn);                                  \
    int existed = access(path, F_OK) == 0;                      \
    int file = note_open(real(at, path, flags, mode), path, existed, flags); \
    pthread_mutex_unlock(&turn);                                \
    return file;                                                \
  }
OPENING_AT(openat)
OPENING_AT(openat64)

int close(int file) {
  REAL(close)
  if (!is_tracked(file)) return real(file);
  pthread_mutex_lock(&turn);
  tracked[file] = 0;
  record(CLOSE, file, 0, "", 0, NULL, 0);
  int result = real(file);
  pthread_mutex_unlock(&turn);
  return result;
}

static ssize_t note_write(int file, const void *data, ssize_t written, off_t offset) {
  if (written > 0) record(WRITE, file, offset, "", 0, data, (size_t)written);
  return written;
}

/* The result of a failing write; a short one first writes half. */
#define WRITING(name, offset_type)                              \
  ssize_t name(int file, const void *data, size_t bytes, offset_type offset) { \
    REAL(name)                                                  \
    if (!is_tracked(file)) return real(file, data, bytes, offset); \
    pthread_mutex_lock(&turn);                                  \
    ssize_t written = -1;                                       \
    if (!fails(file, 0)) written = real(file, data, bytes, offset);   \
    else if (fail_is_short && has_failed == 1 && bytes > 1)     \
      written = real(file, data, bytes / 2, offset);            \
    else errno = fail_error;                                    \
    note_write(file, data, written, offset);                    \
    pthread_mutex_unlock(&turn);                                \
    return written;                                             \
  }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int file, const void *data, size_t bytes) {
  REAL(write)
  if (!is_tracked(file)) return real(file, data, bytes);
  pthread_mutex_lock(&turn);
  int appends = (fcntl(file, F_GETFL) & O_APPEND) != 0;
  off_t offset = lseek(file, 0, appends ? SEEK_END : SEEK_CUR);
  ssize_t written = -1;
  if (!fails(file, 0)) written = real(file, data, bytes);
  else if (fail_is_short && has_failed == 1 && bytes > 1) written = real(file, data, bytes / 2);
  else errno = fail_error;
  note_write(file, data, written, offset);
  pthread_mutex_unlock(&turn);
  return written;
}

#define TRUNCATING(name, length_type)                           \
  int name(int file, length_type length) {                      \
    REAL(name)                                                  \
    if (!is_tracked(file)) return real(file, length);           \
    pthread_mutex_lock(&turn);                                  \
    int result = -1;                                            \
    if (fails(file, 0)) errno = fail_error;                           \
    else result = real(file, length);                           \
    if (result == 0) record(TRUNCATE, file, length, "", 0, NULL, 0); \
    pthread_mutex_unlock(&turn);                                \
    return result;                                              \
  }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

/* The log gets its record when the flush has ended: a cut before it may lose everything. */
#define SYNCING(name)                                           \
  int name(int file) {                                          \
    REAL(name)                                                  \
    if (!is_tracked(file)) return real(file);                   \
    pthread_mutex_lock(&turn);                                  \
    int result = 0;                                             \
    if (fails(file, 1)) {                                             \
      errno = fail_error;                                       \
      result = -1;                                              \
    } else if (sync_us < 0) result = real(file);                \
    else if (sync_us > 0) usleep((useconds_t)sync_us);          \
    if (result == 0) record(SYNC, file, 0, "", 0, NULL, 0);     \
    pthread_mutex_unlock(&turn);                                \
    return result;                                              \
  }
SYNCING(fsync)
SYNCING(fdatasync)

int unlink(const char *path) {
  REAL(unlink)
  if (!is_inside(path)) return real(path);
  pthread_mutex_lock(&turn);
  int result = real(path);
  if (result == 0) record(UNLINK, -1, 0, path, strlen(path), NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int unlinkat(int at, const char *path, int flags) {
  REAL(unlinkat)
  if (!is_inside(path) || (flags & AT_REMOVEDIR) != 0) return real(at, path, flags);
  pthread_mutex_lock(&turn);
  int result = real(at, path, flags);
  if (result == 0) record(UNLINK, -1, 0, path, strlen(path), NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

/* std::filesystem::remove of C++, which Node uses in places. */
int remove(const char *path) {
  struct stat what;
  if (stat(path, &what) == 0 && S_ISDIR(what.st_mode)) return rmdir(path);
  return unlink(path);
}

static void note_two(int kind, const char *from, const char *to) {
  char names[2 * PATH_MAX + 2];
  int length = snprintf(names, sizeof names, "%s%c%s", from, '\0', to);
  record(kind, -1, 0, names, (size_t)length, NULL, 0);
}

#define NAMING(name, kind)                                      \
  int name(const char *from, const char *to) {                  \
    REAL(name)                                                  \
    if (!is_inside(to) && !is_inside(from)) return real(from, to); \
    pthread_mutex_lock(&turn);                                  \
    int result = real(from, to);                                \
    if (result == 0) note_two(kind, from, to);                  \
    pthread_mutex_unlock(&turn);                                \
    return result;                                              \
  }
NAMING(rename, RENAME)
NAMING(link, LINK)

/* Calls that the reader of the log has no rule for: a recording with one of them proves nothing. */
static void note_unknown(int file, const char *name) {
  if (is_tracked(file)) record(UNKNOWN, file, 0, name, strlen(name), NULL, 0);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev)
  note_unknown(file, "pwritev");
  return real(file, parts, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev)
  note_unknown(file, "writev");
  return real(file, parts, count);
}

int fallocate(int file, int mode, off_t offset, off_t length) {
  REAL(fallocate)
  note_unknown(file, "fallocate");
  return real(file, mode, offset, length);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  REAL(posix_fallocate)
  note_unknown(file, "posix_fallocate");
  return real(file, offset, length);
}
