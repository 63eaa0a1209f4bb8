// Vitest gives a test five seconds. The first start in a process needs them all on a busy machine.
export default { test: { testTimeout: 60_000 } };
