/** Tables as CSV that spreadsheets open without running anything. */

/** What a spreadsheet takes for the beginning of a formula, also behind spaces and in full-width forms. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r]/u;

/**
 * @param {(string | number)[][]} rows the first one names the columns
 * @returns {string} with a byte order mark, by which spreadsheets know UTF-8
 */
export function toCsv(rows) {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

/** @param {string | number} value */
function cell(value) {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n']/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
