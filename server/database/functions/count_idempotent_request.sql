-- Counts the stored requests of each quota and the bytes of their responses. The trigger is deferred to the commit, so
-- that the lock on the quota's counts is held only briefly.
CREATE OR REPLACE FUNCTION public.count_idempotent_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  added integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE 0 END;
  more bigint := coalesce(octet_length(NEW.answer), 0);
BEGIN
  IF TG_OP = 'UPDATE' THEN
    more := more - coalesce(octet_length(OLD.answer), 0);
  END IF;
  IF added <> 0 OR more <> 0 THEN
    INSERT INTO idempotency_quotas AS q (quota, requests, bytes) VALUES (NEW.quota, added, more)
    ON CONFLICT (quota) DO UPDATE SET requests = q.requests + excluded.requests, bytes = q.bytes + excluded.bytes;
  END IF;
  RETURN NULL;
END $function$;

CREATE CONSTRAINT TRIGGER count_idempotent_request AFTER INSERT OR UPDATE OF answer ON idempotent_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_idempotent_request();
