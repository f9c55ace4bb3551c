// Figures and keys as the command line prints them (io.tunnel.terminal.Human, KeyText, Printable), without state.

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
const COUNT_UNITS = ['', ' k', ' M', ' G', ' T', ' P', ' E'];

/** What nobody knows. */
export const UNKNOWN = '?';

/** What is not there. */
export const NONE = '-';

/**
 * All digits, in groups of three.
 *
 * @param {number | bigint} value
 */
export function count(value) {
  return String(typeof value === 'bigint' ? value : Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * A count and the noun: "1 channel", "1,200 channels".
 *
 * @param {number} value
 * @param {string} singular
 */
export function counted(value, singular) {
  return `${count(value)} ${singular}${value === 1 ? '' : 's'}`;
}

/**
 * Three digits and a unit of thousands: "999", "1.23 k", "45.6 M".
 *
 * @param {number} value
 */
export function shortCount(value) {
  return scaled(value, 1000, COUNT_UNITS, '');
}

/**
 * Three digits and a unit of 1,024s: "17 B", "1.50 MiB".
 *
 * @param {number} value
 */
export function bytes(value) {
  return scaled(value, 1024, BYTE_UNITS, ' ');
}

/**
 * @param {number} value
 * @param {number} step
 * @param {string[]} units
 * @param {string} space
 */
function scaled(value, step, units, space) {
  let rest = Math.abs(value);
  let unit = 0;
  // What would be printed as 1000 belongs to the next unit.
  while (rest >= (unit === 0 ? step : 999.5) && unit < units.length - 1) {
    rest /= step;
    unit++;
  }
  const decimals = unit === 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2;
  return (value < 0 ? '-' : '') + rest.toFixed(decimals) + space + units[unit];
}

/**
 * The largest unit and the one below: "350 ms", "1.2 s", "3 min 05 s".
 *
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  if (ms < 0) {
    return '-' + duration(-ms);
  }
  if (ms < 1000) {
    return `${Math.round(ms)} ms`;
  }
  if (ms < 59950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.floor(ms / 1000) + (ms % 1000 >= 500 ? 1 : 0);
  if (seconds < 3600) {
    return pair(seconds, 60, 'min', 's');
  }
  return seconds < 86400
    ? pair(Math.floor(seconds / 60), 60, 'h', 'min')
    : pair(Math.floor(seconds / 3600), 24, 'd', 'h');
}

/**
 * @param {number} value
 * @param {number} step
 * @param {string} unit
 * @param {string} lower
 */
function pair(value, step, unit, lower) {
  return `${Math.floor(value / step)} ${unit} ${String(value % step).padStart(2, '0')} ${lower}`;
}

/**
 * A figure that may be unknown: -1, NaN or nothing at all.
 *
 * @param {number | null | undefined} value
 * @param {(value: number) => string} text
 */
export function known(value, text) {
  return value === null || value === undefined || Number.isNaN(value) || value === -1 ? UNKNOWN : text(value);
}

/**
 * How long the history that a reader still needs is kept.
 *
 * @param {number | null | undefined} ms negative when changes are lost, nothing when they are kept for ever
 */
export function historyLeft(ms) {
  if (ms === null || ms === undefined) {
    return NONE;
  }
  if (ms < 0) {
    return 'LOST';
  }
  return ms === 0 ? 'any moment' : duration(ms);
}

/**
 * A moment in UTC, to the second.
 *
 * @param {number} ms since 1970
 */
export function instant(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? UNKNOWN : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/**
 * A moment as an input of type datetime-local has it: in the browser's zone, to the second.
 *
 * @param {number} ms since 1970
 */
export function localInput(ms) {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/**
 * Text of others made harmless: control and format characters, which could turn the direction of the line, become escapes.
 *
 * @param {string} text
 */
export function printable(text) {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200d\u{10000}-\u{10ffff}])\p{Cf}/gu, (point) => {
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[point];
    return named ?? '\\u' + /** @type {number} */ (point.codePointAt(0)).toString(16).padStart(4, '0');
  });
}

/**
 * A key value as people type it: INTEGER in decimal, STRING as it is, BINARY in hexadecimal.
 *
 * @param {{ integer?: string, string?: string, binary?: string }} value
 */
export function keyValue(value) {
  if (value.integer !== undefined) {
    return value.integer;
  }
  return value.string !== undefined ? printable(value.string) : hexOfBase64(value.binary ?? '');
}

/**
 * A key: "(id=42, name=x)".
 *
 * @param {{ columns: { name: string, value: { integer?: string, string?: string, binary?: string } }[] }} key
 */
export function keyText(key) {
  return `(${key.columns.map((column) => `${printable(column.name)}=${keyValue(column.value)}`).join(', ')})`;
}

/**
 * Bytes as people read them.
 *
 * @param {string} base64
 */
export function hexOfBase64(base64) {
  return [...atob(base64)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/**
 * Bytes as JSON has them.
 *
 * @param {string} hex as people type bytes
 * @returns {string | null} null when the text has no two hexadecimal digits for each byte
 */
export function base64OfHex(hex) {
  const digits = hex.trim();
  return /^([0-9a-fA-F]{2})*$/.test(digits) ? btoa(String.fromCharCode(...(digits.match(/../g) ?? []).map((byte) => parseInt(byte, 16)))) : null;
}

/**
 * The first columns of a key as people type them, as JSON has them; null when nothing is typed.
 *
 * @param {{ name: string, type: string }[]} columns
 * @param {(name: string) => string} typed the text of a column
 * @returns {Record<string, string> | null}
 * @throws {Error} names the column whose text is no value of its type
 */
export function typedKey(columns, typed) {
  const values = columns
    .map(({ name, type }) => ({ name, type, text: typed(name) }))
    .filter(({ text }) => text !== '')
    .map(({ name, type, text }) => {
      const value = type === 'BINARY' ? base64OfHex(text) : text;
      if (value === null) {
        throw new Error(`column '${printable(name)}' is BINARY: type two hexadecimal digits for each byte, such as 00ff, not '${printable(text)}'`);
      }
      return [name, value];
    });
  return values.length === 0 ? null : Object.fromEntries(values);
}

/**
 * The first column of an encoded key, as people type it; docs/reference/protocol.md, "Keys", has the encoding.
 *
 * @param {string} hex lower-case hexadecimal; empty for no bound
 * @param {string} open what stands for no bound
 */
export function bound(hex, open) {
  if (hex === '') {
    return open;
  }
  const all = (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16));
  if (all[0] === 3 && all.length >= 9) {
    let value = 0n;
    for (let index = 1; index < 9; index++) {
      value = (value << 8n) | BigInt(all[index]);
    }
    return String(BigInt.asIntN(64, value ^ (1n << 63n)));
  }
  const column = [];
  for (let index = 1; index < all.length; index++) {
    if (all[index] === 0 && all[index + 1] !== 0xff) {
      break;
    }
    column.push(all[index]);
    index += all[index] === 0 ? 1 : 0;
  }
  return all[0] === 5
    ? printable(new TextDecoder().decode(Uint8Array.from(column)))
    : column.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Milliseconds of "90s", "15m", "12h", "7d", and 0 for ever.
 *
 * @param {string} text
 * @returns {number | null} null when the text is no duration
 */
export function parseDuration(text) {
  const match = /^(\d{1,12})\s*(ms|s|m|h|d|)$/.exec(text.trim());
  if (!match) {
    return null;
  }
  const factor = { ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000, '': 0 }[match[2]];
  const ms = Number(match[1]) * (factor ?? 0);
  return (match[2] === '' && match[1] !== '0') || !Number.isSafeInteger(ms) ? null : ms;
}

/**
 * What parseDuration reads.
 *
 * @param {number} ms
 */
export function durationInput(ms) {
  const [unit, size] =
    [['d', 86400000], ['h', 3600000], ['m', 60000], ['s', 1000]].find(([, each]) => ms % Number(each) === 0) ?? ['ms', 1];
  return ms === 0 ? '0' : `${ms / Number(size)}${unit}`;
}

/**
 * Bytes of "512MiB", "10GiB", "1000", and 0 for any number.
 *
 * @param {string} text
 * @returns {number | null} null when the text is no size
 */
export function parseBytes(text) {
  const match = /^(\d{1,15})\s*(B|KiB|MiB|GiB|TiB|)$/.exec(text.trim());
  if (!match) {
    return null;
  }
  const value = Number(match[1]) * 1024 ** Math.max(0, BYTE_UNITS.indexOf(match[2]));
  return Number.isSafeInteger(value) ? value : null;
}

/**
 * What parseBytes reads.
 *
 * @param {number} value
 */
export function bytesInput(value) {
  let rest = value;
  let unit = 0;
  while (rest > 0 && rest % 1024 === 0 && unit < 4) {
    rest /= 1024;
    unit++;
  }
  return unit === 0 ? String(rest) : `${rest}${BYTE_UNITS[unit]}`;
}

/**
 * What a form asks to change: the options whose text differs from the text that the form showed. An option that was not touched is
 * left out, because another operator may have changed it since the form was opened.
 *
 * @param {{ age: string, size: string }} shown
 * @param {{ age: string, size: string }} typed
 * @returns {{ retentionMs?: number | null, retentionBytes?: number | null }} null for a text that is no age, or no size
 */
export function retentionChange(shown, typed) {
  return {
    ...(typed.age === shown.age ? {} : { retentionMs: parseDuration(typed.age) }),
    ...(typed.size === shown.size ? {} : { retentionBytes: parseBytes(typed.size) }),
  };
}
