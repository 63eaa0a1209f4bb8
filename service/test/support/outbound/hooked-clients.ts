import { writeClientsFile } from '../../../../scripts/rehearsal.ts';
import { temporaryFolder, type AtEnd } from '../at-end.ts';

/** A clients file whose one client has receivers on this machine. */
export function hookedClients(urls: readonly string[], secret: string, atEnd: AtEnd): string {
  const entry = {
    id: 'hooked',
    name: { ar: 'تطبيق المثال', en: 'Example Application' },
    type: 'confidential' as const,
    return_addresses: ['http://127.0.0.1/return'],
    keys: ['mfk_hooked_0123456789abcdef'],
    webhooks: urls.map((url) => ({ url, secrets: [secret] })),
  };
  return writeClientsFile(temporaryFolder('hooks', atEnd), [entry]);
}
