CREATE TABLE "starting_credit_claims" (
	"address_hash" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_amount";--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "counterparty_id" uuid;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_amount" CHECK (case "ledger_entries"."kind" when 'CREDIT' then "ledger_entries"."amount" > 0 or ("ledger_entries"."amount" < 0 and "ledger_entries"."counterparty_id" is not null) when 'DEBIT' then "ledger_entries"."amount" <= 0 else "ledger_entries"."amount" = 0 end);