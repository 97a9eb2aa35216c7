// A job on standard input, what `measure` says of it on standard output.

import { readFileSync } from 'node:fs';
import { Model } from '../../web/unilid.js';
import { measure } from './measure.js';

const { model, job } = JSON.parse(readFileSync(0, 'utf8'));
const result = await measure(Model, model, job);
process.stdout.write(JSON.stringify({ ...result, megabytes: process.resourceUsage().maxRSS / 1024 }));
