// Numbers as numpy and Python compute and write them: sums, roundings and shortest digits.

import { UnilidError } from './errors.js';

/** Nats in a step of cost. */
export const STEP = 0.125;

/** Longest run that numpy adds up in one piece. */
const BLOCK = 128;

/**
 * The sum of floating-point numbers in the order in which numpy adds them (pairwise), so that the last bit is the same.
 * @param {ArrayLike<number>} values
 */
export function sum(values, first = 0, count = values.length) {
  if (count < 8) {
    let total = 0;
    for (let i = first; i < first + count; ++i) total += values[i];
    return total;
  }
  if (count > BLOCK) {
    let half = Math.floor(count / 2);
    half -= half % 8;
    return sum(values, first, half) + sum(values, first + half, count - half);
  }
  const parts = new Float64Array(8);
  const whole = count - (count % 8);
  for (let i = 0; i < whole; ++i) parts[i % 8] += values[first + i];
  const [a, b, c, d, e, f, g, h] = parts;
  let total = a + b + (c + d) + (e + f + (g + h));
  for (let i = whole; i < count; ++i) total += values[first + i];
  return total;
}

/** The nearest whole number; halves go to the even one, as numpy's rint has it. */
export function rint(value) {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** Costs of log-probabilities in whole steps, from 0 to `limit`. */
export function quantise(logP, limit) {
  return Uint8Array.from(logP, (value) => Math.min(Math.max(rint(-value / STEP), 0), limit));
}

/** The middle value, or the mean of the two. */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A number as Python writes a float: the shortest digits that give it back, and always a point or an exponent. */
export function floatText(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e16) return Object.is(value, -0) ? '-0.0' : value + '.0';
  const [digits, exponent] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 16) return plain(digits, power);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function plain(digits, power) {
  const sign = digits.startsWith('-') ? '-' : '';
  const all = digits.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${all}`;
  const whole = all.slice(0, power + 1).padEnd(power + 1, '0');
  return `${sign}${whole}.${all.slice(power + 1) || '0'}`;
}

/** A whole number that is at least `least`. */
export function wholeNumber(name, value, least = 1) {
  if (!Number.isInteger(value) || value < least) {
    throw new UnilidError(`${name} must be a whole number from ${least}, not ${shown(value)}`);
  }
  return value;
}

/** A value as a message shows it. */
export function shown(value) {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 40 ? text.slice(0, 39) + '…' : text;
}
