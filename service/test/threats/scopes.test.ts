import { describe, expect, it } from 'vitest';
import { openTestService } from '../support/service/test-service.ts';

describe('threat 85: scopes without end', () => {
  it('are refused when 1,000 of them keep something, and one that is reset makes room', async () => {
    const { app } = await openTestService();
    const removeIn = (scope: string) =>
      app.inject({
        method: 'DELETE',
        url: '/simulator/people/faisal',
        headers: { 'x-miftah-scope': scope },
      });
    for (let one = 0; one < 1000; one += 1) {
      expect((await removeIn(`scope-${one}`)).statusCode).toBe(200);
    }
    const refused = await removeIn('one-more');
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'scopes.full' }]);
    const headers = { 'x-miftah-scope': 'scope-500' };
    await app.inject({ method: 'POST', url: '/simulator/reset', headers });
    expect((await removeIn('one-more')).statusCode).toBe(200);
  });

  it('in the headers of starts keep nothing by themselves', async () => {
    const service = await openTestService({ settings: { RATE_LIMITS: 'off' } });
    for (let one = 0; one < 30; one += 1) {
      const headers = { 'x-miftah-scope': `scope-${one}` };
      const started = await service.post('/start', { locale: 'en' }, headers);
      expect(started.statusCode).toBe(200);
    }
    const people = { url: '/simulator/people', headers: { 'x-miftah-scope': 'scope-7' } };
    const [inScope, plain] = [
      await service.app.inject(people),
      await service.app.inject(people.url),
    ];
    expect(inScope.payload).toBe(plain.payload);
  });
});
