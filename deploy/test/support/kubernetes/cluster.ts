import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { temporaryFolder, type AtEnd } from '../../../../service/test/support/at-end.ts';
import { findTool } from '../../../../scripts/debian.mjs';
import { run } from '../../../../scripts/run.mjs';

/** The kinds of the manifests, as the interface of a cluster names them. */
const KINDS: Readonly<Record<string, readonly (readonly [name: string, kind: string])[]>> = {
  v1: [
    ['serviceaccounts', 'ServiceAccount'],
    ['configmaps', 'ConfigMap'],
    ['services', 'Service'],
  ],
  'batch/v1': [['jobs', 'Job']],
  'apps/v1': [['deployments', 'Deployment']],
  'policy/v1': [['poddisruptionbudgets', 'PodDisruptionBudget']],
  'networking.k8s.io/v1': [
    ['networkpolicies', 'NetworkPolicy'],
    ['ingresses', 'Ingress'],
  ],
};

const GROUPS = Object.keys(KINDS).filter((groupVersion) => groupVersion.includes('/'));

function answerTo(path: string): object | null {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] };
  if (path === '/apis') {
    const groups = GROUPS.map((groupVersion) => {
      const version = { groupVersion, version: 'v1' };
      const [name] = groupVersion.split('/');
      return { name, versions: [version], preferredVersion: version };
    });
    return { kind: 'APIGroupList', apiVersion: 'v1', groups };
  }
  const groupVersion = path === '/api/v1' ? 'v1' : path.replace('/apis/', '');
  const kinds = KINDS[groupVersion];
  if (kinds === undefined) return null;
  const resources = kinds.map(([name, kind]) => ({
    name,
    kind,
    singularName: '',
    namespaced: true,
    verbs: ['get', 'create', 'patch', 'list', 'delete'],
  }));
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/**
 * The interface of a cluster in which nothing is, as far as kubectl asks it before it would apply
 * something. @returns its address
 */
export async function emptyCluster(atEnd: AtEnd = onTestFinished): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const answer = answerTo(new URL(url, 'http://cluster').pathname);
    if (answer !== null) return say(response, 200, answer);
    const missing = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound' };
    return say(response, 404, { ...missing, code: 404 });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** kubectl with a folder of its own for what it keeps. @throws Error with what it has said */
export async function kubectl(args: readonly string[]): Promise<string> {
  const program = findTool('kubectl') ?? 'kubectl';
  const HOME = temporaryFolder('kubectl');
  const { code, output } = await run(program, [...args], { HOME, KUBECONFIG: '/dev/null' });
  if (code !== 0) throw new Error(output);
  return output;
}
