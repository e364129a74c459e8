import { defineErrors } from '#errors/define.ts'

export const BILLING_ERRORS = defineErrors({
  'billing.budget_not_found': [404, 'Budget not found'],
})
