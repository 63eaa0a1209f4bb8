/** An instance for many workers. It ends with its input, and says how much memory it has needed. */
import { once } from 'node:events';
import { startMiftah } from 'miftah/testing';

const miftah = await startMiftah();
process.stdout.write(`${miftah.url}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
process.stdout.write(`${process.memoryUsage().rss}\n`);
await miftah.stop();
