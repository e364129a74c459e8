import { defineErrors, notFound } from '#errors/define.ts'

export const BILLING_ERRORS = defineErrors({
  'billing.budget_not_found': notFound('Budget not found', 'budget_id'),
  'billing.limit_not_found': notFound('Limit not found', 'limit_id'),

  'billing.same_organization': 'from_org and to_org must be different organizations.',
  'usage.too_many_rows':
    'The result has more than {limit} rows. Request fewer days, or group by fewer fields.',
  'usage.group_by': 'group_by must list at most {limit} of these fields: {groups}.',
  'limit.one_subject': 'Send exactly one of user_id, api_key_id and model_id.',
  'limit.none': 'Send requests_per_minute, tokens_per_minute or both. To remove a limit, delete it.',
  'budget.one_owner': 'Send either user_id or api_key_id, not both.',
})
