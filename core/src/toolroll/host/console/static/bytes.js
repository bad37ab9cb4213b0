// Between the bytes that tools speak of and the UTF-16 units that a browser's strings have.

const encoder = new TextEncoder();

export function byteLength(text) {
  return encoder.encode(text).length;
}

/** Return the string index at which byte `offset` of the text's UTF-8 form lies. */
export function indexOfByte(text, offset) {
  let bytes = 0;
  let index = 0;
  for (const character of text) {
    if (bytes >= offset) return index;
    const code = character.codePointAt(0);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    index += character.length;
  }
  return index;
}

/** Split UTF-8 bytes into parts of at most `most` bytes that end between characters. */
export function* parts(bytes, most) {
  let start = 0;
  while (start < bytes.length) {
    let end = Math.min(start + most, bytes.length);
    while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) end -= 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Decode UTF-8, or return null if it is something else. */
export function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

export function encode(text) {
  return encoder.encode(text);
}
