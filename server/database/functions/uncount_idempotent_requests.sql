-- Subtracts deleted requests from the counts of their quotas. Locks quotas in the order of their names.
CREATE OR REPLACE FUNCTION public.uncount_idempotent_requests()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM idempotency_quotas WHERE quota = ANY (ARRAY(SELECT DISTINCT quota FROM gone)) ORDER BY quota FOR UPDATE;
  INSERT INTO idempotency_quotas AS q (quota, requests, bytes)
  SELECT quota, -count(*), -coalesce(sum(octet_length(answer)), 0) FROM gone GROUP BY quota ORDER BY quota
  ON CONFLICT (quota) DO UPDATE SET requests = q.requests + excluded.requests, bytes = q.bytes + excluded.bytes;
  DELETE FROM idempotency_quotas WHERE requests = 0 AND bytes = 0 AND quota IN (SELECT quota FROM gone);
  RETURN NULL;
END $function$;

CREATE TRIGGER uncount_idempotent_requests AFTER DELETE ON idempotent_requests REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_idempotent_requests();
