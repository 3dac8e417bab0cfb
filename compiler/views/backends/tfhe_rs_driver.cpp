#include "compiler/views/backends/tfhe_rs_driver.h"

namespace tacet::backends {

auto tfhe_rs_head() -> std::string_view {
  return R"(
use serde_json::{json, Value};
use tfhe::boolean::prelude::*;

/// An argument or a result. The range is that of elements as they are stored.
#[allow(dead_code)]
struct Field {
    name: &'static str,
    of_type: &'static str,
    extents: &'static [usize],
    /// Bits that the circuit has of an element.
    width: usize,
    bits: usize,
    is_signed: bool,
    is_bool: bool,
    fraction_bits: Option<i32>,
    is_client: bool,
    low: i128,
    high: i128,
}

pub fn encrypt_inputs(key: &ClientKey, bits: &[bool]) -> Vec<Ciphertext> {
    bits.iter().map(|&bit| key.encrypt(bit)).collect()
}

pub fn decrypt_outputs(key: &ClientKey, results: &[Ciphertext]) -> Vec<bool> {
    results.iter().map(|bit| key.decrypt(bit)).collect()
}
)";
}

auto tfhe_rs_driver() -> std::string_view {
  return R"(
/// The bits of an argument, element by element, the lowest bit first.
fn append_bits(field: &Field, value: &Value, dimension: usize, bits: &mut Vec<bool>) -> Result<(), String> {
    if dimension < field.extents.len() {
        let elements = value.as_array().filter(|all| all.len() == field.extents[dimension]);
        let elements = elements.ok_or(format!("the input {} is no {}", field.name, field.of_type))?;
        return elements.iter().try_for_each(|each| append_bits(field, each, dimension + 1, bits));
    }
    let stored = match (value, field.fraction_bits) {
        (Value::Bool(truth), None) if field.is_bool => Some(*truth as i128),
        (Value::Number(number), Some(n)) => number.as_f64().map(|x| (x * 2f64.powi(n)).round() as i128),
        (Value::Number(number), None) if !field.is_bool => {
            number.as_i64().map(i128::from).or(number.as_u64().map(i128::from))
        }
        _ => None,
    };
    let stored = stored.ok_or(format!("{} in the input {} is no element", value, field.name))?;
    if stored < field.low || stored > field.high {
        return Err(format!("{} in the input {} is out of its range", value, field.name));
    }
    bits.extend((0..field.width).map(|i| (stored >> i) & 1 == 1));
    Ok(())
}

fn element(field: &Field, bits: &[bool]) -> Value {
    let word = bits.iter().enumerate().fold(0i128, |sum, (i, &bit)| sum | (bit as i128) << i);
    let is_negative = field.is_signed && bits[field.bits - 1];
    let stored = if is_negative { word - (1i128 << field.bits) } else { word };
    match field.fraction_bits {
        Some(n) => json!(stored as f64 / 2f64.powi(n)),
        None if field.is_bool => json!(stored != 0),
        None if stored < 0 => json!(stored as i64),
        None => json!(stored as u64),
    }
}

fn nested(field: &Field, dimension: usize, bits: &mut &[bool]) -> Value {
    if dimension < field.extents.len() {
        return (0..field.extents[dimension]).map(|_| nested(field, dimension + 1, bits)).collect();
    }
    let (first, rest) = bits.split_at(field.width);
    *bits = rest;
    element(field, first)
}

/// Client and server in one process.
fn run(arguments: &[String]) -> Result<String, String> {
    let (mut of_client, mut of_server) = (Vec::new(), Vec::new());
    for (field, argument) in INPUTS.iter().zip(arguments) {
        let text = match argument.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).map_err(|error| error.to_string())?,
            None => argument.clone(),
        };
        let value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        append_bits(field, &value, 0, if field.is_client { &mut of_client } else { &mut of_server })?;
    }
    let (client_key, server_key) = gen_keys();
    let encrypted = encrypt_inputs(&client_key, &of_client);
    let bits = decrypt_outputs(&client_key, &evaluate(&server_key, &encrypted, &of_server));
    let mut rest = &bits[..];
    let results: Vec<String> = RESULTS.iter()
        .map(|field| format!("{{\"name\":\"{}\",\"type\":\"{}\",\"value\":{}}}", field.name,
                             field.of_type, nested(field, 0, &mut rest)))
        .collect();
    Ok(format!("{{\"results\":[{}]}}", results.join(",")))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.len() != INPUTS.len() {
        let names: Vec<&str> = INPUTS.iter().map(|field| field.name).collect();
        eprintln!("usage: cargo run --release -- {}\nEach is a JSON value, or @FILE with one.", names.join(" "));
        std::process::exit(2);
    }
    match run(&arguments) {
        Ok(text) => println!("{text}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}
)";
}

auto tfhe_rs_manifest() -> std::string_view {
  return R"([package]
name = "@NAME@"
version = "0.1.0"
edition = "2021"

[dependencies]
serde_json = "1"
tfhe = { version = "1", features = ["boolean"] }
)";
}

}  // namespace tacet::backends
