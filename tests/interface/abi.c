/* Prints what programs that were compiled with tacet.h rely on: sizes, places of members, numbers. */
#include <stdio.h>

#include "include/tacet.h"

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type))
#define MEMBER(type, member) printf("%s.%s %zu\n", #type, #member, offsetof(type, member))
#define NUMBER(name) printf("%s %d\n", #name, (int)(name))

int main(void) {
  NUMBER(TACET_ABI);
  SIZE(tacet_diagnostic);
  MEMBER(tacet_diagnostic, struct_size);
  MEMBER(tacet_diagnostic, code);
  MEMBER(tacet_diagnostic, message);
  MEMBER(tacet_diagnostic, path);
  MEMBER(tacet_diagnostic, severity);
  MEMBER(tacet_diagnostic, line);
  MEMBER(tacet_diagnostic, column);
  MEMBER(tacet_diagnostic, end_line);
  MEMBER(tacet_diagnostic, end_column);
  SIZE(tacet_field);
  MEMBER(tacet_field, struct_size);
  MEMBER(tacet_field, name);
  MEMBER(tacet_field, type);
  MEMBER(tacet_field, owner);
  MEMBER(tacet_field, bound);
  MEMBER(tacet_field, element);
  MEMBER(tacet_field, fraction_bits);
  MEMBER(tacet_field, is_secret);
  MEMBER(tacet_field, n_dimensions);
  MEMBER(tacet_field, shape);
  MEMBER(tacet_field, error);
  SIZE(tacet_array);
  MEMBER(tacet_array, struct_size);
  MEMBER(tacet_array, data);
  MEMBER(tacet_array, element);
  MEMBER(tacet_array, fraction_bits);
  MEMBER(tacet_array, n_dimensions);
  MEMBER(tacet_array, shape);
  MEMBER(tacet_array, strides);
  SIZE(tacet_input);
  MEMBER(tacet_input, struct_size);
  MEMBER(tacet_input, name);
  MEMBER(tacet_input, text);
  MEMBER(tacet_input, array);
  SIZE(tacet_control);
  MEMBER(tacet_control, struct_size);
  MEMBER(tacet_control, progress);
  MEMBER(tacet_control, user);
  MEMBER(tacet_control, cancellation);
  SIZE(tacet_service_place);
  MEMBER(tacet_service_place, struct_size);
  MEMBER(tacet_service_place, address);
  MEMBER(tacet_service_place, certificate);
  MEMBER(tacet_service_place, own_certificate);
  MEMBER(tacet_service_place, own_key);
  MEMBER(tacet_service_place, connect_seconds);
  MEMBER(tacet_service_place, answer_seconds);
  MEMBER(tacet_service_place, most_results);
  NUMBER(TACET_ERROR);
  NUMBER(TACET_WARNING);
  NUMBER(TACET_INFO);
  NUMBER(TACET_HINT);
  NUMBER(TACET_USAGE);
  NUMBER(TACET_REJECTED);
  NUMBER(TACET_FAILED);
  NUMBER(TACET_INTERNAL);
  NUMBER(TACET_CANCELLED);
  NUMBER(TACET_BOOL);
  NUMBER(TACET_I8);
  NUMBER(TACET_I16);
  NUMBER(TACET_I32);
  NUMBER(TACET_I64);
  NUMBER(TACET_U8);
  NUMBER(TACET_U16);
  NUMBER(TACET_U32);
  NUMBER(TACET_U64);
  NUMBER(TACET_FXP);
  NUMBER(TACET_F32);
  NUMBER(TACET_F64);
  return 0;
}
