import { checkHouse, HOUSE_RULES } from './support/house.ts';
import { describeRules } from './support/rule-suite.ts';

describeRules({
  title: 'the import rules',
  folder: 'house',
  rules: HOUSE_RULES,
  check: checkHouse,
});
