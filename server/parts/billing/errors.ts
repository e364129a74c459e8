import { defineErrors } from '#errors/define.ts'

export const BILLING_ERRORS = defineErrors({
  'billing.budget_not_found': [404, 'Budget not found'],

  'billing.same_organization': 'from_org and to_org must be different organizations.',
  'usage.too_many_rows':
    'The result has more than {limit} rows. Request fewer days, or group by fewer fields.',
  'usage.group_by': 'group_by must list at most {limit} of these fields: {groups}.',
  'budget.one_owner': 'Send either user_id or api_key_id, not both.',
})
