ALTER TABLE "budgets" ADD COLUMN "held_beyond" numeric(24, 6) DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "open_holds" ADD COLUMN "expected" numeric(24, 6) DEFAULT 1 NOT NULL;