/* A client that has numbers, and a server that has weights: their weighted sum under homomorphic
 * encryption. The server sees no number, the client no weight.
 *
 * Built with `cc score.c $(pkg-config --cflags --libs tacet)`, or by the CMakeLists.txt beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacet.h>

static const char kSource[] =
    "#version 0.1.0\n"
    "fn(he) score(x: secret [i64; 4] in 0..10 from client, w: [i64; 4] in -5..6 from server)\n"
    "    -> secret i64 { sum(x * w) }\n";

/* Ends the program with what is wrong. */
static void expect(tacet_error *error) {
  if (error != NULL) {
    fprintf(stderr, "%s\n", tacet_error_message(error));
    tacet_error_free(error);
    exit(1);
  }
}

int main(void) {
  tacet_sources *sources;
  tacet_program *program;
  expect(tacet_sources_from_text(kSource, strlen(kSource), "score.tacet", &sources));
  expect(tacet_compile(sources, "score", NULL, NULL, NULL, &program));

  /* The client encrypts. Its numbers are in memory. */
  const int64_t numbers[4] = {7, 0, 9, 2};
  const uint64_t shape[1] = {4};
  tacet_input x = {.struct_size = sizeof x, .name = "x"};
  x.array.struct_size = sizeof x.array;
  x.array.data = numbers;
  x.array.element = TACET_I64;
  x.array.n_dimensions = 1;
  x.array.shape = shape;
  tacet_client *client;
  tacet_bytes *keys, *request;
  expect(tacet_client_new(program, NULL, &client));
  expect(tacet_client_keys(client, &keys));
  expect(tacet_client_encrypt(client, &x, 1, NULL, &request));

  /* The server evaluates. Its weights are a text. */
  const tacet_input w = {.struct_size = sizeof w, .name = "w", .text = "[1, -5, 2, 3]"};
  tacet_server *server;
  tacet_bytes *answer;
  expect(tacet_server_new(program, tacet_bytes_data(keys), tacet_bytes_size(keys), &w, 1, NULL,
                          &server));
  expect(tacet_server_evaluate(server, tacet_bytes_data(request), tacet_bytes_size(request), NULL,
                               &answer));

  /* The client decrypts. */
  tacet_values *values;
  tacet_array result = {.struct_size = sizeof result};
  expect(tacet_client_decrypt(client, tacet_bytes_data(answer), tacet_bytes_size(answer), NULL,
                              &values));
  tacet_values_get(values, 0, &result);
  int64_t score;
  memcpy(&score, result.data, sizeof score);
  printf("score = %lld, from %zu bytes of keys, %zu of numbers, %zu of the answer\n",
         (long long)score, tacet_bytes_size(keys), tacet_bytes_size(request),
         tacet_bytes_size(answer));

  tacet_values_free(values);
  tacet_bytes_free(answer);
  tacet_server_free(server);
  tacet_bytes_free(request);
  tacet_bytes_free(keys);
  tacet_client_free(client);
  tacet_program_free(program);
  tacet_sources_free(sources);
  return score == 7 * 1 + 9 * 2 + 2 * 3 ? 0 : 1;
}
