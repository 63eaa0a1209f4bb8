/** How long the first start of a process takes with its imports, and each further one. */
const FURTHER = 10;

const began = performance.now();
const { startMiftah } = await import('miftah/testing');
const first = await startMiftah();
const firstMs = performance.now() - began;
const further = [];
for (let start = 0; start < FURTHER; start += 1) {
  const before = performance.now();
  const miftah = await startMiftah();
  further.push(performance.now() - before);
  await miftah.stop();
}
await first.stop();
process.stdout.write(JSON.stringify({ first: firstMs, further }));
