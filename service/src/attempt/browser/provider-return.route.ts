import { Refusal } from '../../errors/refusal.ts';
import { baseUrl, type Endpoint, type LiveContext } from '../../request/context.ts';
import { routeWithForm } from '../../request/body/forms.ts';
import { pageLocale } from '../../request/answer/page-locale.ts';
import { leadTo } from '../../request/answer/send-page.ts';
import { textMember } from '../../request/body/text-member.ts';

/**
 * POST /callback: the return of a provider that uses a form. Browsers send no cookie with another
 * site's form, so this leads to the same address with GET. A body that is no form is simulator
 * mode's way to complete without the person, and is refused before it is read.
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
    handler: async (request, reply) => {
      const query = new URLSearchParams({ state: textMember(request.body, 'state') });
      const address = `${baseUrl(context)}/callback?${query.toString()}`;
      return leadTo(request, reply, address, pageLocale(request));
    },
  });
};
