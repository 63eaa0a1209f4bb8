import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/run.mjs';
import { readComposeFile } from '../support/image/compose/compose-file.ts';

/** The values of deploy/image/compose.yaml by which its containers have few rights. */

const { services } = readComposeFile(join(root, 'deploy', 'image', 'compose.yaml'), {});

const CONFINED = {
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
};
const PROGRAM = {
  ...CONFINED,
  user: '10001:10001',
  pids_limit: 200,
  mem_limit: '512m',
  ulimits: { nofile: 16_384, core: 0 },
};

it.each(['migrate', 'miftah-1', 'miftah-2'])('%s has no right that it could use', (name) => {
  expect(services[name]).toMatchObject(PROGRAM);
  for (const field of ['cap_add', 'tmpfs', 'ports']) {
    expect(services[name]).not.toHaveProperty(field);
  }
});

it.each([
  ['postgres', ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID']],
  ['proxy', ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID']],
])('%s keeps what it needs to become another user, and nothing else', (name, capabilities) => {
  expect(services[name]).toMatchObject({ ...CONFINED, cap_add: capabilities });
});

it('has no other service, and opens the ports of the proxy alone', () => {
  const names = ['postgres', 'migrate', 'miftah-1', 'miftah-2', 'proxy'];
  expect(Object.keys(services)).toEqual(names);
  expect(names.filter((name) => services[name]?.ports !== undefined)).toEqual(['proxy']);
});
