#!/usr/bin/env bash
# Makes the two shards and the user that writes to them. Runs once, when the data volume is new.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --username postgres --set password="$(cat /run/secrets/postgres_password)" <<'SQL'
create role ingest login password :'password';
create database shop0;
create database shop1;
SQL

for shard in shop0 shop1; do
  psql --set ON_ERROR_STOP=1 --username postgres --dbname "$shard" <<'SQL'
create table orders (
  order_id bigint primary key,
  customer text not null,
  amount numeric(10, 2) not null,
  placed_at timestamptz not null
);
grant insert on orders to ingest;
SQL
done
