-- A version of 0 now says that the organization has neither budgets nor limits per minute.
UPDATE "credit_accounts" SET "budgets_version" = 1
WHERE "budgets_version" = 0 AND (
  "organization_id" IN (SELECT "organization_id" FROM "budgets")
  OR "organization_id" IN (SELECT "organization_id" FROM "minute_limits"));
