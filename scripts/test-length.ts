import process from 'node:process';

/** Whether this is `npm run test:long`. */
export const isLong = process.env['TEST_LENGTH'] === 'long';

/** How much a test tries: all in `npm run test:long`, and what is enough for each change in `npm test`. */
export function atLength<All, Short>(all: All, short: Short): All | Short {
  return isLong ? all : short;
}
