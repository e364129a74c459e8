create table "bookmarks" (
  "id" uuid primary key not null,
  "organization_id" uuid not null references "organizations" ("id") on delete cascade,
  "user_id" uuid not null references "users" ("id") on delete cascade,
  "url" text not null,
  "created_at" timestamp (3) with time zone default now() not null,
  constraint "bookmarks_owner" unique ("organization_id", "user_id", "id")
);
