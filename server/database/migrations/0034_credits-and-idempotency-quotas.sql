CREATE TABLE "idempotency_quotas" (
	"quota" text PRIMARY KEY NOT NULL,
	"requests" integer NOT NULL,
	"bytes" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "starting_credit_claims" (
	"address_hash" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_amount";--> statement-breakpoint
ALTER TABLE "idempotent_requests" ADD COLUMN "quota" text;--> statement-breakpoint
UPDATE "idempotent_requests" SET "quota" = coalesce('user:' || "user_id", "owner");--> statement-breakpoint
ALTER TABLE "idempotent_requests" ALTER COLUMN "quota" SET NOT NULL;--> statement-breakpoint
INSERT INTO "idempotency_quotas" ("quota", "requests", "bytes")
SELECT "quota", count(*), coalesce(sum(octet_length("answer")), 0) FROM "idempotent_requests" GROUP BY "quota";--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "counterparty_id" uuid;--> statement-breakpoint
CREATE INDEX "idempotent_requests_quota_created_at_index" ON "idempotent_requests" USING btree ("quota","created_at");--> statement-breakpoint
CREATE INDEX "idempotent_requests_large" ON "idempotent_requests" USING btree ("answered_at") WHERE octet_length("idempotent_requests"."answer") > 65536;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_amount" CHECK (case "ledger_entries"."kind" when 'CREDIT' then "ledger_entries"."amount" > 0 or ("ledger_entries"."amount" < 0 and "ledger_entries"."counterparty_id" is not null) when 'DEBIT' then "ledger_entries"."amount" <= 0 else "ledger_entries"."amount" = 0 end);--> statement-breakpoint
CREATE FUNCTION count_idempotent_request() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;--> statement-breakpoint
CREATE FUNCTION uncount_idempotent_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM idempotency_quotas WHERE quota = ANY (ARRAY(SELECT DISTINCT quota FROM gone)) ORDER BY quota FOR UPDATE;
  INSERT INTO idempotency_quotas AS q (quota, requests, bytes)
  SELECT quota, -count(*), -coalesce(sum(octet_length(answer)), 0) FROM gone GROUP BY quota ORDER BY quota
  ON CONFLICT (quota) DO UPDATE SET requests = q.requests + excluded.requests, bytes = q.bytes + excluded.bytes;
  DELETE FROM idempotency_quotas WHERE requests = 0 AND bytes = 0 AND quota IN (SELECT quota FROM gone);
  RETURN NULL;
END $$;--> statement-breakpoint
-- Deferred, so that requests of one user wait for each other only while they commit.
CREATE CONSTRAINT TRIGGER count_idempotent_request AFTER INSERT OR UPDATE OF answer ON idempotent_requests
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_idempotent_request();--> statement-breakpoint
CREATE TRIGGER uncount_idempotent_requests AFTER DELETE ON idempotent_requests
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION uncount_idempotent_requests();
