import { defineErrors } from '#errors/define.ts'

export const BILLING_ERRORS = defineErrors({
  'billing.budget_not_found': [404, 'Budget not found'],

  'billing.same_organization': 'from_org and to_org must be different organizations',
  'usage.too_many_rows': 'That would be more than {limit} rows. Ask for fewer days, or group by less.',
  'usage.group_by': 'group_by must be up to {limit} of: {groups}',
  'budget.one_owner': 'Give either user_id or api_key_id',
})
