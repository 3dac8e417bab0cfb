/* The C interface of Tacet: what the command `tacet` does, as a library.
 *
 * Rules that hold for all of it:
 *
 *   - A function that can fail returns a `tacet_error*`, null if it did not, which the caller
 *     frees; what it gives is written through its last parameters, and only if it did not fail.
 *   - Objects are opaque. Whoever gets one frees it with its `_free`, to which null may be given.
 *     What an accessor returns belongs to the object and lives as long as it.
 *   - There is no global state. Different objects may be used by different threads at the same
 *     time, and so may one object, but for `tacet_options_set` and the `_free`s. Files are read
 *     where a path is given; besides them the times that `tacet bench --calibrate` measured on this
 *     machine (below `XDG_CACHE_HOME`), and of the environment `TACET_ISA` and `SOURCE_DATE_EPOCH`.
 *   - Text is UTF-8. A text that is given ends at its first null byte unless it has a size.
 *   - Numbers of enumerations and members of structures never change their meaning. New members
 *     are added at the end of a structure, which is why each begins with its size: set it to
 *     `sizeof` before you pass one. New functions may come with any version.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TACET_API __attribute__((visibility("default")))
#else
#define TACET_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: programs built with one that is at most what `tacet_abi` returns
 * run with the library. */
#define TACET_ABI 1

TACET_API uint32_t tacet_abi(void);

/* The version of Tacet, `0.1.0`. */
TACET_API const char *tacet_version(void);

/* -- bytes ------------------------------------------------------------------------------------ */

/* Bytes, or a text, behind which there is a null byte that is not counted. Those of secrets are
 * wiped when they are freed. */
typedef struct tacet_bytes tacet_bytes;

TACET_API const void *tacet_bytes_data(const tacet_bytes *bytes);
TACET_API size_t tacet_bytes_size(const tacet_bytes *bytes);
TACET_API void tacet_bytes_free(tacet_bytes *bytes);

/* -- diagnostics ------------------------------------------------------------------------------ */

typedef enum tacet_severity {
  TACET_ERROR = 0,
  TACET_WARNING = 1,
  TACET_INFO = 2,
  TACET_HINT = 3
} tacet_severity;

/* Lines and columns count from 1, columns in characters (code points); the end is behind the last
 * character. */
typedef struct tacet_diagnostic {
  size_t struct_size;
  const char *code; /* `T2001` */
  const char *message;
  const char *path;  /* as it was given when the sources were opened */
  uint32_t severity; /* a `tacet_severity` */
  uint32_t line, column;
  uint32_t end_line, end_column;
} tacet_diagnostic;

typedef struct tacet_diagnostics tacet_diagnostics;

TACET_API size_t tacet_diagnostics_count(const tacet_diagnostics *diagnostics);
/* False, that is 0, if there is none of this number. */
TACET_API int tacet_diagnostics_get(const tacet_diagnostics *diagnostics, size_t number,
                                    tacet_diagnostic *diagnostic);
/* As `tacet check` prints them, with the lines that they are about. */
TACET_API const char *tacet_diagnostics_text(const tacet_diagnostics *diagnostics);
/* As `tacet check --format json` prints them. */
TACET_API const char *tacet_diagnostics_json(const tacet_diagnostics *diagnostics);
TACET_API void tacet_diagnostics_free(tacet_diagnostics *diagnostics);

/* -- errors ----------------------------------------------------------------------------------- */

typedef enum tacet_status {
  TACET_USAGE = 1,    /* an argument is wrong: a name, a value, a range */
  TACET_REJECTED = 2, /* the program has errors, which are the diagnostics */
  TACET_FAILED = 3,   /* a file, a peer, or a run failed */
  TACET_INTERNAL = 4, /* a bug in Tacet */
  TACET_CANCELLED = 5 /* the caller stopped the call */
} tacet_status;

typedef struct tacet_error tacet_error;

TACET_API uint32_t tacet_error_status(const tacet_error *error); /* a `tacet_status` */
/* One or several lines without a full stop; with the diagnostics, if there are any, as a text. */
TACET_API const char *tacet_error_message(const tacet_error *error);
/* Null if there are none. */
TACET_API const tacet_diagnostics *tacet_error_diagnostics(const tacet_error *error);
TACET_API void tacet_error_free(tacet_error *error);

/* -- control of long calls -------------------------------------------------------------------- */

/* Calls that may take long have a `control` before their results, which may be null. A call that is
 * stopped returns an error of the status `TACET_CANCELLED`, within a tenth of a second as a rule
 * and within about a second where parties make the random numbers of `semi2k`. It gives nothing and
 * leaves all objects and files as they were: the same call may be made again. A run of parties that
 * one of them stops fails for the others. */

/* Hears how far a call has come, from any thread, one call at a time: `total` is 0 if nobody knows
 * how much there is to do. `phase` lives as long as the call of the function. Returns whether to
 * continue: 0 stops the call. Some phases report often, some once; it may be called a few times
 * more after it returned 0. */
typedef int (*tacet_progress)(void *user, const char *phase, uint64_t done, uint64_t total);

/* Stops calls from another thread: all that were given it, those that are made later too. */
typedef struct tacet_cancellation tacet_cancellation;

/* A new one, which counts as cancelled if `parent` is, too; null: none. */
TACET_API tacet_cancellation *tacet_cancellation_new(const tacet_cancellation *parent);
/* From any thread, and from a signal handler. There is no way back. */
TACET_API void tacet_cancellation_cancel(const tacet_cancellation *cancellation);
TACET_API int tacet_cancellation_is_cancelled(const tacet_cancellation *cancellation);
/* Calls that were given it may still run, and can no longer be stopped by it. */
TACET_API void tacet_cancellation_free(tacet_cancellation *cancellation);

typedef struct tacet_control {
  size_t struct_size;
  tacet_progress progress;                /* may be null */
  void *user;                             /* for `progress` */
  const tacet_cancellation *cancellation; /* may be null */
} tacet_control;

/* -- options ---------------------------------------------------------------------------------- */

/* Options of the command line by their names without dashes: `scheme`, `security`, `range`,
 * `protocol`, `threads`, … (`tacet run --help`). One that takes no value has the value "". Those
 * that may be repeated are set repeatedly. What a function has no use for it rejects. */
typedef struct tacet_options tacet_options;

TACET_API tacet_options *tacet_options_new(void);
TACET_API tacet_error *tacet_options_set(tacet_options *options, const char *name,
                                         const char *value);
TACET_API void tacet_options_free(tacet_options *options);

/* -- sources ---------------------------------------------------------------------------------- */

/* A module with all that it imports. Later changes of the files change nothing. */
typedef struct tacet_sources tacet_sources;

TACET_API tacet_error *tacet_sources_open(const char *path, tacet_sources **sources);
/* Of a text. `path` is where it would be: it names the language by its ending (`.tacet`, `.tlhe`,
 * `.cm`), and what the text imports is looked for beside it. */
TACET_API tacet_error *tacet_sources_from_text(const char *text, size_t size, const char *path,
                                               tacet_sources **sources);
TACET_API void tacet_sources_free(tacet_sources *sources);

/* What `tacet check` finds in the module: never an error of the program's author. */
TACET_API tacet_error *tacet_check(const tacet_sources *sources, const tacet_control *control,
                                   tacet_diagnostics **diagnostics);
/* What `tacet lint` finds. Options: `select`, `ignore`. May be null. */
TACET_API tacet_error *tacet_lint(const tacet_sources *sources, const tacet_options *options,
                                  const tacet_control *control, tacet_diagnostics **diagnostics);
/* The text of the module after all fixes that are safe, as `tacet lint --fix` would leave it. */
TACET_API tacet_error *tacet_fix(const tacet_sources *sources, const tacet_control *control,
                                 tacet_bytes **text);
/* The module as `tacet fmt` would leave it. Rejected if it has syntax errors. */
TACET_API tacet_error *tacet_format(const tacet_sources *sources, tacet_bytes **text);

/* What can be run, a JSON array in the order of the text:
 *   {"name": "f", "kind": "he" | "mpc" | "ref", "line": 3}
 * `kind` is the device that a function is written for; `ref` is of those that fit any. */
TACET_API tacet_error *tacet_functions(const tacet_sources *sources, const tacet_control *control,
                                       tacet_bytes **json);
/* The output of a stage of the compiler: `tacet emit --stage`. Options as there (`fn`, `size`,
 * `scheme`, …). May be null. */
TACET_API tacet_error *tacet_emit(const tacet_sources *sources, const char *stage,
                                  const tacet_options *options, const tacet_control *control,
                                  tacet_bytes **text);
/* What an editor shows of a place, in Markdown; empty if that is nothing. Line and column count
 * from 1. */
TACET_API tacet_error *tacet_hover(const tacet_sources *sources, uint32_t line, uint32_t column,
                                   const tacet_control *control, tacet_bytes **markdown);
/* What could be written at a place, the best first, as a JSON array:
 *   {"label": "sum", "insert": "sum", "kind": "function", "detail": "fn sum(…)",
 *    "begin": 12, "end": 14}
 * `begin` and `end` are columns on the line, which `insert` replaces. */
TACET_API tacet_error *tacet_complete(const tacet_sources *sources, uint32_t line, uint32_t column,
                                      const tacet_control *control, tacet_bytes **json);
/* The page of a diagnostic's code or of a rule of the linter, as `tacet explain` prints it. */
TACET_API tacet_error *tacet_explain(const char *code, tacet_bytes **text);

/* -- programs --------------------------------------------------------------------------------- */

/* A function compiled for a device. */
typedef struct tacet_program tacet_program;

/* `function` may be null if the module has one that can be run. `device` is `ref` (plaintext),
 * `he` (client and server, under homomorphic encryption) or `mpc` (parties, on secret shares), or
 * null: the one that the function is written for. Options are those of `tacet run`; null: none.
 * Rejected, with diagnostics, if the module has errors or the device cannot run the function. */
TACET_API tacet_error *tacet_compile(const tacet_sources *sources, const char *function,
                                     const char *device, const tacet_options *options,
                                     const tacet_control *control, tacet_program **program);
/* What `tacet build` writes of a program for `he`: the same bytes. What results would show of the
 * server's numbers makes it an error, unless the option `unhidden` was set. */
TACET_API tacet_error *tacet_program_write(const tacet_program *program, tacet_bytes **bytes);
TACET_API tacet_error *tacet_program_read(const void *bytes, size_t size, tacet_program **program);
TACET_API void tacet_program_free(tacet_program *program);

TACET_API const char *tacet_program_name(const tacet_program *program);
TACET_API const char *tacet_program_device(const tacet_program *program);
/* What the compiler remarked, a line each: notes and warnings that are no errors. May be empty. */
TACET_API const char *tacet_program_notes(const tacet_program *program);

typedef enum tacet_element {
  TACET_BOOL = 0, /* a byte, 0 or 1 */
  TACET_I8 = 1,
  TACET_I16 = 2,
  TACET_I32 = 3,
  TACET_I64 = 4,
  TACET_U8 = 5,
  TACET_U16 = 6,
  TACET_U32 = 7,
  TACET_U64 = 8,
  TACET_FXP = 9, /* an `int64_t`, to be divided by 2^fraction_bits */
  TACET_F32 = 10,
  TACET_F64 = 11
} tacet_element;

/* A parameter or a result. */
typedef struct tacet_field {
  size_t struct_size;
  const char *name;
  const char *type;  /* as in the language: `[i64; 4]` */
  const char *owner; /* who gives or gets it: `client`, `server`, the name of a party, or `` */
  const char *bound; /* `0..256`, of its elements; `` if nothing is declared */
  uint32_t element;  /* a `tacet_element` */
  uint32_t fraction_bits;
  uint32_t is_secret; /* to be shown to its owner alone */
  uint32_t n_dimensions;
  const uint64_t *shape;
  double error; /* of a result: how far it may be from that in plaintext; 0 if it is equal */
} tacet_field;

TACET_API size_t tacet_program_parameter_count(const tacet_program *program);
TACET_API size_t tacet_program_result_count(const tacet_program *program);
TACET_API int tacet_program_parameter(const tacet_program *program, size_t number,
                                      tacet_field *field);
TACET_API int tacet_program_result(const tacet_program *program, size_t number, tacet_field *field);

/* What running it is predicted to cost: as a JSON object, and as a table for people, the one that
 * `tacet build` prints. Members are named as the table's lines (`ring_dimension`, `server_inputs`);
 * times are in milliseconds, `failure` is a base-2 logarithm. Of `ref` there is nothing to say:
 * `{}`. */
TACET_API tacet_error *tacet_program_costs(const tacet_program *program,
                                           const tacet_control *control, tacet_bytes **json);
TACET_API tacet_error *tacet_program_explain(const tacet_program *program,
                                             const tacet_control *control, tacet_bytes **text);
/* A picture as SVG of a function that was compiled for BFV, BGV or CKKS: its `circuit`, its
 * `layout`, which element is in which slot, or its `approximations`, the functions of reals and the
 * polynomials that are computed instead. An error if the program has no such picture. */
TACET_API tacet_error *tacet_program_picture(const tacet_program *program, const char *kind,
                                             const tacet_control *control, tacet_bytes **svg);

/* -- values ----------------------------------------------------------------------------------- */

/* Elements in memory, row by row unless `strides` (in bytes, one for each dimension) say otherwise.
 * Any type of elements may be given for any parameter: each number must be one of the parameter's,
 * and within its bound. */
typedef struct tacet_array {
  size_t struct_size;
  const void *data;
  uint32_t element; /* a `tacet_element` */
  uint32_t fraction_bits;
  uint32_t n_dimensions;
  const uint64_t *shape;
  const int64_t *strides; /* may be null */
} tacet_array;

/* A value for a parameter: an array, or, if `text` is not null, what a command line may have: JSON
 * (`[[1, 2], [3, 4]]`), `@FILE`, `@random`. */
typedef struct tacet_input {
  size_t struct_size;
  const char *name;
  const char *text;
  tacet_array array;
} tacet_input;

/* Results of a run, or of a decryption. */
typedef struct tacet_values tacet_values;

TACET_API size_t tacet_values_count(const tacet_values *values);
TACET_API const char *tacet_values_name(const tacet_values *values, size_t number);
TACET_API int tacet_values_get(const tacet_values *values, size_t number, tacet_array *array);
/* A JSON object of all of them by name, as `tacet run --format json` prints it. */
TACET_API const char *tacet_values_json(const tacet_values *values);
/* What the run cost, a JSON object: the `stats` of `tacet run --stats --format json`. Bytes are
 * counted if the program was compiled with the option `stats`, and always between parties. */
TACET_API const char *tacet_values_costs(const tacet_values *values);
TACET_API void tacet_values_free(tacet_values *values);

/* -- runs ------------------------------------------------------------------------------------- */

/* Runs a program in this process: client and server, or all parties, as threads. A program that was
 * compiled for `mpc` with the option `party` is one party of those that `tacet.toml` beside its
 * file names: it meets the others over TLS, takes its own values and gives what it may know. */
TACET_API tacet_error *tacet_run(const tacet_program *program, const tacet_input *inputs,
                                 size_t n_inputs, const tacet_control *control,
                                 tacet_values **values);

/* -- client and server of a program for `he` --------------------------------------------------- */

/* Keys, encrypted inputs and results are the files that `tacet run --role` exchanges. Each says
 * which program, keys and inputs it belongs to, and is rejected by others.
 *
 * The client has the secret key, which encrypts and decrypts. */
typedef struct tacet_client tacet_client;

/* Makes new keys. */
TACET_API tacet_error *tacet_client_new(const tacet_program *program, const tacet_control *control,
                                        tacet_client **client);
/* The evaluation keys, for the server: public, large. */
TACET_API tacet_error *tacet_client_keys(const tacet_client *client, tacet_bytes **keys);
/* The secret key, to be kept. What was written of a client of this library, or by `tacet run --role
 * client`, opens another one, which has no evaluation keys: they are where they were sent. */
TACET_API tacet_error *tacet_client_secret(const tacet_client *client, tacet_bytes **secret);
TACET_API tacet_error *tacet_client_open(const tacet_program *program, const void *secret,
                                         size_t size, tacet_client **client);
/* Encrypts the client's inputs. Any number of times: a client decrypts results of any of them. */
TACET_API tacet_error *tacet_client_encrypt(tacet_client *client, const tacet_input *inputs,
                                            size_t n_inputs, const tacet_control *control,
                                            tacet_bytes **ciphertexts);
TACET_API tacet_error *tacet_client_decrypt(const tacet_client *client, const void *results,
                                            size_t size, const tacet_control *control,
                                            tacet_values **values);
TACET_API void tacet_client_free(tacet_client *client);

/* The server has the keys of one client and its own inputs, prepared once. */
typedef struct tacet_server tacet_server;

TACET_API tacet_error *tacet_server_new(const tacet_program *program, const void *keys, size_t size,
                                        const tacet_input *inputs, size_t n_inputs,
                                        const tacet_control *control, tacet_server **server);
/* Evaluates the program on ciphertexts: the encrypted results, for the client. */
TACET_API tacet_error *tacet_server_evaluate(const tacet_server *server, const void *ciphertexts,
                                             size_t size, const tacet_control *control,
                                             tacet_bytes **results);
TACET_API void tacet_server_free(tacet_server *server);

/* -- clients of a service ----------------------------------------------------------------------- */

/* Where a service is, as `tacet serve` runs it, and who asks it. */
typedef struct tacet_service_place {
  size_t struct_size;
  const char *address;         /* `HOST:PORT`; an IPv6 address is in brackets */
  const char *certificate;     /* the service's, PEM: it has to show exactly this one */
  const char *own_certificate; /* the client's, PEM, which the service admits */
  const char *own_key;         /* its private key, PEM */
  uint32_t connect_seconds;    /* until a connection is made; 0: 30 */
  uint32_t answer_seconds;     /* until a request is answered; 0: 600 */
  uint64_t most_results;       /* bytes of encrypted results; 0: 2^30 */
} tacet_service_place;

/* Connections to a service, over TLS 1.3. Several threads may make requests at the same time. */
typedef struct tacet_service tacet_service;

/* Connects, and keeps the connection for requests. */
TACET_API tacet_error *tacet_service_connect(const tacet_service_place *place,
                                             const tacet_control *control, tacet_service **service);
/* Encrypts the client's inputs, has the service evaluate its program on them, and decrypts. The
 * program has to be one of those that the service evaluates, the same file. `keys` are the client's
 * evaluation keys, which are sent if the service does not hold them; null: those that the client
 * has, if it was made and not opened. */
TACET_API tacet_error *tacet_service_request(tacet_service *service, tacet_client *client,
                                             const void *keys, size_t keys_size,
                                             const tacet_input *inputs, size_t n_inputs,
                                             const tacet_control *control, tacet_values **values);
TACET_API void tacet_service_free(tacet_service *service);

/* -- the command line -------------------------------------------------------------------------- */

/* What the command `tacet` prints and returns for these arguments (`check`, `FILE`, …; without the
 * program's name), for what has no function of its own. Standard input is empty. `lsp` and
 * `playground`, which serve until they are stopped, are rejected. */
TACET_API tacet_error *tacet_command(const char *const *arguments, size_t n_arguments,
                                     const tacet_control *control, tacet_bytes **out,
                                     tacet_bytes **err, int *exit_code);

#ifdef __cplusplus
}
#endif
