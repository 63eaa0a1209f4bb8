import { expect, it } from 'vitest';
import { shareService } from '../support/service/test-service.ts';

const service = shareService();

it('numbers are served in the form that Prometheus reads', async () => {
  const { statusCode, headers, payload } = await service().request({
    method: 'GET',
    url: '/metrics',
  });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=/);
  expect(payload).toContain('# TYPE push_suppressed_total counter\npush_suppressed_total 0\n');
});
