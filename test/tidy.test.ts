import { describeRules } from './support/rule-suite.ts';
import { checkTidy, TIDY_RULES } from './support/tidy.ts';

describeRules({ title: 'the tidy rules', folder: 'tidy', rules: TIDY_RULES, check: checkTidy });
