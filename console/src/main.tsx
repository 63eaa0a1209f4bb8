import { render } from 'preact';
// Before anything reads the address.
import './platform/address-code.ts';
import { App } from './frame/app.tsx';
import { keepRoomInLanguageLink } from './frame/language-link.ts';
import { page } from './page.ts';
import { followAttempts } from './state/attempts.ts';
import './style/console.css';

keepRoomInLanguageLink();
render(<App />, page.element);
void followAttempts();
