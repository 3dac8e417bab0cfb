// `larger` of gates.tacet on encrypted bits, by TFHE-rs: 14 gates, 11 bootstraps under Tacet's engine.
// Written by `tacet emit --to`; it can be changed like any other source.
//
//     fn(he) larger(a: secret u8 in 0..16 from client, b: secret u8 in 0..16 from server)
//         -> (secret u8, secret bool)
//     {
//         (max(a, b), a >= b)
//     }
//
// Results are not hidden: what the client decrypts can show numbers of the server.

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

/// The gates, in an order in which each has its operands.
#[allow(unused_variables)]
pub fn evaluate(key: &ServerKey, client: &[Ciphertext], server: &[bool]) -> Vec<Ciphertext> {
    // a: 4 bits of each element, the lowest one first
    let a = &client[0..4];
    // b: 4 bits of each element, the lowest one first
    let b: Vec<Ciphertext> = server[0..4].iter()
        .map(|&bit| key.trivial_encrypt(bit)).collect();
    let w9 = key.and(&key.not(&a[0]), &b[0]);
    let w10 = key.mux(&key.xor(&key.not(&a[1]), &b[1]), &w9, &key.not(&a[1]));
    let w11 = key.mux(&key.xor(&key.not(&a[2]), &b[2]), &w10, &key.not(&a[2]));
    let w12 = key.mux(&key.xor(&key.not(&a[3]), &b[3]), &w11, &key.not(&a[3]));
    let w13 = key.and(&a[0], &key.not(&w12));
    let w14 = key.and(&b[0], &w12);
    let w15 = key.or(&w13, &w14);
    let w16 = key.and(&a[1], &key.not(&w12));
    let w17 = key.and(&b[1], &w12);
    let w18 = key.or(&w16, &w17);
    let w19 = key.and(&a[2], &key.not(&w12));
    let w20 = key.and(&b[2], &w12);
    let w21 = key.or(&w19, &w20);
    let w22 = key.or(&a[3], &b[3]);
    vec![
        w15.clone(),
        w18.clone(),
        w21.clone(),
        w22.clone(),
        key.trivial_encrypt(false),
        key.trivial_encrypt(false),
        key.trivial_encrypt(false),
        key.trivial_encrypt(false),
        key.not(&w12),
    ]
}

/// In the order of arguments.
const INPUTS: &[Field] = &[
    Field { name: "a", of_type: "u8", extents: &[], width: 4, bits: 8, is_signed: false,
            is_bool: false, fraction_bits: None, is_client: true, low: 0, high: 15 },
    Field { name: "b", of_type: "u8", extents: &[], width: 4, bits: 8, is_signed: false,
            is_bool: false, fraction_bits: None, is_client: false, low: 0, high: 15 },
];

const RESULTS: &[Field] = &[
    Field { name: "out0", of_type: "u8", extents: &[], width: 8, bits: 8, is_signed: false,
            is_bool: false, fraction_bits: None, is_client: true, low: 0, high: 255 },
    Field { name: "out1", of_type: "bool", extents: &[], width: 1, bits: 1, is_signed: false,
            is_bool: true, fraction_bits: None, is_client: true, low: 0, high: 1 },
];

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
