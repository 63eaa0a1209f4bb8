#!/usr/bin/env node
/**
 * The commands of `npx miftah`. JavaScript, so that a Node version that can't run TypeScript still runs this
 * check.
 */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `miftah needs Node 24 or newer, and this is ${process.version}: install a newer Node. ` +
      'In a clone of the project, `npx miftah` uses the Node that came with it.\n',
  );
  process.exit(1);
}

const [command, ...flags] = process.argv.slice(2);
if (command === 'start') {
  // A service does not need the other commands in memory: they take 8 MB.
  const { listenWhileStarting } = await import('./src/platform/start-signals.ts');
  const startSignals = listenWhileStarting();
  const { startByCommand } = await import('./src/start-by-command.ts');
  await startByCommand(flags, startSignals);
} else {
  const { runCommand } = await import('./src/cli.ts');
  await runCommand(process.argv.slice(2), process.env);
}
