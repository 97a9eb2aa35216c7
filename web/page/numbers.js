/** Numbers as people read them. */

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/** A probability; one that is not 1 is not rounded to it. @param {number} share */
export function percentage(share) {
  if (share > 0.999 && share < 1) return '> 99.9%';
  if (share > 0 && share < 0.001) return '< 0.1%';
  return percent.format(share);
}

/** @param {number} number */
export function count(number) {
  return whole.format(number);
}

/** A number of things: `counted(1, "line")` is "1 line". @param {number} number @param {string} noun */
export function counted(number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Nats as how many times likelier that is. @param {number} nats */
export function times(nats) {
  const ratio = Math.exp(Math.abs(nats));
  if (ratio > 1e6) return 'over a million times';
  return `${ratio < 10 ? short.format(ratio) : count(Number(ratio.toPrecision(2)))} times`;
}

/** Megabytes with one decimal. @param {number} bytes */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
