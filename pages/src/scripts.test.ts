import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { continueScript, phoneScript, pushScript, trialScript } from './scripts.ts';

it.each([
  ['continue', continueScript],
  ['phone', phoneScript],
  ['push', pushScript],
  ['trial', trialScript],
])('the files of the script %s have no name twice', (_name, { source }) => {
  // Two functions of one name are an error in a block only: elsewhere the later one counts for both.
  expect(() => new Script(`'use strict'; {${source}\n}`)).not.toThrow();
});
