// The script of a page that only shows commands.
import { offerCopies } from './copy.js';

offerCopies();
