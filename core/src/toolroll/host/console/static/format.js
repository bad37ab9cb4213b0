// Numbers and times as people read them.

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const STEPS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export function size(bytes) {
  let unit = 0;
  while (bytes >= 1000 && unit < UNITS.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return `${number.format(bytes)} ${unit === 0 && bytes === 1 ? "byte" : UNITS[unit]}`;
}

export function count(amount, one, many = `${one}s`) {
  return `${number.format(amount)} ${amount === 1 ? one : many}`;
}

/** Whether a timestamp is a real one: what does not exist, and directories, have the year 1. */
export function isTime(text) {
  return Boolean(text) && !text.startsWith("0001-");
}

export function time(text) {
  return moment.format(new Date(text));
}

export function ago(text) {
  const seconds = (new Date(text) - Date.now()) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return "just now";
}

export function milliseconds(value) {
  return value < 1000 ? `${Math.round(value)} ms` : `${number.format(value / 1000)} s`;
}
