CREATE TABLE "installation_secret" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"secret_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "installation_secret_one_row" CHECK ("installation_secret"."is_only")
);
