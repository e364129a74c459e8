CREATE TABLE "invitation_days" (
	"key_hash" text NOT NULL,
	"day" date NOT NULL,
	"sent" integer NOT NULL,
	CONSTRAINT "invitation_days_key_hash_day_pk" PRIMARY KEY("key_hash","day")
);
