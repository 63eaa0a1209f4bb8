import { Refusal } from '../../../domain/errors/refusal.ts';
import { baseUrl, type Endpoint, type LiveContext } from '../../context.ts';
import { routeWithForm } from '../../forms.ts';
import { textMember } from '../../text-member.ts';

/**
 * POST /callback: a provider that returns by form. It reads no cookie, because none comes with a
 * form of another site, and sends the browser to the same address by GET. Whatever else is posted
 * here wants to complete an attempt without the person, and is refused before anyone looks at it.
 */
export const providerReturn: Endpoint<LiveContext> = (app, context) => {
  routeWithForm(app, {
    method: 'POST',
    url: '/callback',
    config: { flat: 'proven', anyOrigin: true },
    onRequest: async ({ headers }) => {
      const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
      if (type !== 'application/x-www-form-urlencoded') throw new Refusal('simulator.disabled');
    },
    handler: async ({ body }, reply) => {
      const query = new URLSearchParams({ state: textMember(body, 'state') });
      return reply.redirect(`${baseUrl(context)}/callback?${query.toString()}`, 303);
    },
  });
};
